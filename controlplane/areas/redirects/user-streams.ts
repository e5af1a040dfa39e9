import { Readable } from 'node:stream';
import { AppError } from '../../errors/app-error.js';
import { createTurns } from '../../storage/postgres/turns.js';

const MAX_WAITING_PER_USER = 8;
const RETRY_AFTER_SECONDS = 10;
const STALL_MS = 60_000;

export interface UserStreamsOptions {
  /** Time after which a stream ends if the client reads nothing. Default: a minute. */
  readonly stallMs?: number;
}

/**
 * Streams an answer in pieces. A user has one stream at a time; further ones wait. A client that reads nothing for a
 * minute loses its turn and connection. `open` runs before the head of the answer is sent, so its errors get their own
 * status code.
 *
 * @throws {AppError} RATE_LIMIT_EXCEEDED when too many of the user's streams wait already
 */
export type StreamToUser = (
  userId: string,
  signal: AbortSignal,
  open: () => Promise<AsyncIterable<Buffer>>,
) => Promise<Readable>;

export function createUserStreams({ stallMs = STALL_MS }: UserStreamsOptions = {}): StreamToUser {
  const turns = createTurns(MAX_WAITING_PER_USER);

  return async (userId, signal, open) => {
    const endTurn = await turns.take(userId, signal);
    if (endTurn === undefined) throw tooManyLists();
    try {
      return endingWhenStalled(await open(), stallMs).once('close', endTurn);
    } catch (error) {
      endTurn();
      throw error;
    }
  };
}

/**
 * Returns a stream that is destroyed if no piece is read for some time. The time for producing a piece does not count.
 */
function endingWhenStalled(pieces: AsyncIterable<Buffer>, stallMs: number): Readable {
  let timer: NodeJS.Timeout | undefined;
  const end = () => list.destroy(new Error(`nothing of the list was read for ${stallMs} ms`));
  const watch = () => {
    timer = setTimeout(end, stallMs).unref();
  };
  async function* watched() {
    clearTimeout(timer);
    for await (const piece of pieces) {
      watch();
      yield piece;
      clearTimeout(timer);
    }
    // The client has not read the last pieces yet.
    watch();
  }
  watch();
  const list = Readable.from(watched(), { objectMode: false }).once('close', () => clearTimeout(timer));
  return list;
}

function tooManyLists(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: `At most ${MAX_WAITING_PER_USER} lists of your redirects can wait at a time; retry when they are done.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
