import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../errors/app-error.js';
import { MAX_FILE_BYTES } from './import.js';

/** Headers of an uploaded file. */
export interface SentFile {
  readonly body: Readable;
  /** Header Content-Encoding. */
  readonly encoding: string | undefined;
  /** Takes the bytes as they arrive. */
  readonly onBytes?: (bytes: Uint8Array) => void;
}

/**
 * Reads a file of an upload as text, without a byte order mark. The stream is not destroyed on an error, because its
 * connection must carry the answer.
 *
 * @throws {AppError} INVALID_REQUEST for another encoding, BODY_TOO_LARGE as soon as the file is too large
 */
export async function* readText({ body, encoding, onBytes }: SentFile): AsyncGenerator<string> {
  const sent = limited(body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, onBytes);
  const bytes = isGzip(encoding) ? limited(gunzipped(sent)) : sent;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of bytes) {
    const text = decode(() => decoder.decode(chunk, { stream: true }));
    if (text !== '') yield text;
  }
  const rest = decode(() => decoder.decode());
  if (rest !== '') yield rest;
}

function isGzip(encoding: string | undefined): boolean {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'gzip' || name === 'x-gzip') return true;
  if (name === 'identity' || name === '') return false;
  throw new AppError('INVALID_REQUEST', {
    field: 'Content-Encoding',
    message: 'Content-Encoding must be gzip, or be left out.',
  });
}

async function* limited(
  bytes: AsyncIterable<Buffer>,
  onBytes?: (bytes: Uint8Array) => void,
): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > MAX_FILE_BYTES) throw tooLarge();
    onBytes?.(chunk);
    yield chunk;
  }
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let failure: unknown;
  const gunzip = createGunzip();
  // Reading `gunzip` reports the error.
  pipeline(Readable.from(bytes), gunzip, (error) => {
    failure = error ?? undefined;
  });
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (cause) {
    const error = failure ?? cause;
    if (error instanceof AppError) throw error;
    throw new AppError('INVALID_REQUEST', {
      message:
        'The file is not valid gzip, or it is incomplete. Send it without Content-Encoding if it is not compressed.',
      cause: error,
    });
  }
}

function decode(read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', {
      message: 'The file is not valid UTF-8. Save it as UTF-8 and send it again.',
      cause,
    });
  }
}

function tooLarge(): AppError {
  return new AppError('BODY_TOO_LARGE', {
    message: `A file can have at most ${MAX_FILE_BYTES / 1024 / 1024} MiB, also when it is uncompressed. Split it.`,
  });
}
