import type { Readable } from 'node:stream';
import type { AnswerOptions } from './list-answers.js';
import type { RecordsOf } from './redirect-records.js';
import type { RedirectPage } from './redirect-repository.js';
import { createUserStreams } from './user-streams.js';

/** Reads a part of a user's list: the first one, or the one after an earlier part. */
export type ReadPage = (userId: string, after?: string) => Promise<RedirectPage>;

export interface LongListsDeps {
  readonly readPage: ReadPage;
  readonly recordsOf: RecordsOf;
  /** Time after which the stream ends if the client reads nothing. Default: a minute. */
  readonly stallMs?: number;
}

export interface LongListOptions extends AnswerOptions {
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Streams the list of a user's redirects as JSON, newest first. Memory is bounded: the next page is read when the
 * client has received the previous one. Pages are read one by one, so a redirect that changes during the stream appears
 * in its old or new state. A user has one list at a time; further ones wait. A client that reads nothing for a minute
 * loses its turn and connection.
 *
 * @throws {AppError} RATE_LIMIT_EXCEEDED when too many of the user's lists wait already
 */
export type StreamList = (userId: string, options: LongListOptions) => Promise<Readable>;

export function createLongLists({ readPage, recordsOf, stallMs }: LongListsDeps): StreamList {
  const stream = createUserStreams(stallMs === undefined ? {} : { stallMs });

  return (userId, options) =>
    stream(userId, options.signal, async () => {
      const first = await readPage(userId);
      return jsonOf(first, (after) => readPage(userId, after), recordsOf, options);
    });
}

async function* jsonOf(
  first: RedirectPage,
  readPage: (after: string) => Promise<RedirectPage>,
  recordsOf: RecordsOf,
  { plan, log, serialize }: AnswerOptions,
): AsyncGenerator<Buffer> {
  let opening = '[';
  for (let page = first; ; page = await readPage(page.next)) {
    const { records } = await recordsOf(page.redirects, plan, log);
    // The array of a page without its brackets.
    if (records.length > 0) yield Buffer.from(opening + serialize(records).slice(1, -1));
    if (records.length > 0) opening = ',';
    if (page.next === undefined) break;
  }
  yield Buffer.from(opening === '[' ? '[]' : ']');
}
