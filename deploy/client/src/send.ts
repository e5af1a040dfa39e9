import { errorOf, WaymarkError } from './errors.js';
import type { RawBody } from './operations.js';
import type { CallOptions } from './request-types.js';
import { backOffMs, mayRepeat, type RetryOptions, retryAfterMs, wait } from './retries.js';
import { randomKey } from './web-crypto.js';

export interface SenderOptions extends RetryOptions {
  readonly url: string;
  readonly token?: string | (() => string | Promise<string>) | undefined;
  readonly session?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** A request with all types erased. */
export interface Call extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

const RETRIES = 3;
const MAX_RETRY_DELAY_MS = 60_000;
const TIMEOUT_MS = 30_000;

/** Reads an answer within the time limit of the attempt. */
type Read<Result> = (response: Response) => Promise<Result>;
export type Send = <Result>(call: Call, read: Read<Result>) => Promise<Result>;

/** Creates the function that sends requests, and repeats those that may succeed later. */
export function createSend(options: SenderOptions): Send {
  const { retries = RETRIES, maxRetryDelayMs = MAX_RETRY_DELAY_MS } = options;
  return async (call, read) => {
    const url = urlOf(options.url, call);
    const headers = await headersOf(options, call);
    const hasKey = 'idempotency-key' in headers;
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendOnce(options, call, { url, headers, read });
      } catch (error) {
        if (!(error instanceof WaymarkError) || attempt >= retries || isStream(call.body)) throw error;
        if (!isPassing(call, error, hasKey)) throw error;
        const delayMs = error.retryAfterMs ?? backOffMs(attempt);
        if (delayMs > maxRetryDelayMs) throw error;
        await wait(delayMs, call.signal);
      }
    }
  };
}

function isPassing({ method, path }: Call, { code, status }: WaymarkError, hasKey: boolean): boolean {
  // The attempt before is still being answered: a repetition gets its answer.
  if (code === 'IDEMPOTENCY_CONFLICT') return true;
  return mayRepeat(method, path, status, hasKey);
}

interface Attempt<Result> {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly read: Read<Result>;
}

async function sendOnce<Result>(
  options: SenderOptions,
  call: Call,
  { url, headers, read }: Attempt<Result>,
): Promise<Result> {
  const { timeoutMs = options.timeoutMs ?? TIMEOUT_MS, signal } = call;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = timeoutMs > 0 ? setTimeout(() => controller.abort(), timeoutMs) : undefined;
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method: call.method,
      headers,
      signal: controller.signal,
      ...(options.session && { credentials: 'same-origin' as const }),
      ...(call.body !== undefined && { body: payloadOf(call.body) as string }),
      // Node requires it for streams.
      ...(isStream(call.body) && { duplex: 'half' as const }),
    });
    if (response.ok || response.status === 304) return await read(response);
    throw await errorOf(response, retryAfterMs(response.headers.get('retry-after'), Date.now()));
  } catch (error) {
    if (error instanceof WaymarkError) throw error;
    signal?.throwIfAborted();
    throw unanswered(options.url, error, controller.signal.aborted ? timeoutMs : undefined);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function unanswered(url: string, cause: unknown, timeoutMs: number | undefined): WaymarkError {
  if (timeoutMs !== undefined) {
    return new WaymarkError({
      code: 'TIMEOUT',
      message: `No answer from ${url} within ${timeoutMs} ms.`,
      cause,
    });
  }
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error ? inner.message || ('code' in inner ? inner.code : '') : inner;
  return new WaymarkError({
    code: 'CONNECTION_FAILED',
    message: `No connection to ${url || 'the server'}: ${reason}`,
    cause,
  });
}

function urlOf(base: string, { path, params = {}, query = {} }: Call): string {
  const values = params as Readonly<Record<string, unknown>>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined || values[name] === '')
      throw new TypeError(`${path} needs params.${name}.`);
    return encodeURIComponent(String(values[name]));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return base.replace(/\/+$/, '') + filled + (text && `?${text}`);
}

async function headersOf(options: SenderOptions, call: Call): Promise<Record<string, string>> {
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  const isPost = call.method === 'POST';
  return {
    accept: 'application/json, */*;q=0.5',
    ...(call.body !== undefined && { 'content-type': call.contentType ?? 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(options.session && { 'x-requested-with': 'waymark' }),
    ...(isPost && { 'idempotency-key': call.idempotencyKey ?? (await randomKey()) }),
    ...(call.ifMatch !== undefined && { 'if-match': call.ifMatch }),
    ...(call.ifNoneMatch !== undefined && { 'if-none-match': call.ifNoneMatch }),
    ...call.headers,
  };
}

function payloadOf(body: unknown): RawBody {
  const isRaw =
    typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob || isStream(body);
  return isRaw ? (body as RawBody) : JSON.stringify(body);
}

function isStream(body: unknown): boolean {
  return typeof ReadableStream !== 'undefined' && body instanceof ReadableStream;
}
