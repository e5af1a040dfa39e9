import { Readable } from 'node:stream';
import { AppError } from '../errors/app-error.js';
import { createTurns } from '../reads/turns.js';
import type { AnswerOptions } from './list-answers.js';
import type { RecordsOf } from './redirect-records.js';
import type { RedirectPage } from './redirect-repository.js';

const MAX_WAITING_PER_USER = 8;
const RETRY_AFTER_SECONDS = 10;

/** Reads a part of the list of a user: from its start, or after the position that an earlier part gave. */
export type ReadPage = (userId: string, after?: string) => Promise<RedirectPage>;

export interface LongListsDeps {
  readonly readPage: ReadPage;
  readonly recordsOf: RecordsOf;
}

export interface LongListOptions extends AnswerOptions {
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Streams the list of a user's redirects as JSON, newest first. Memory is bounded: the next page is read when the client
 * has taken the one before. Pages are read one by one, so a redirect that changes meanwhile is shown as before or after.
 * A user has one list at a time; further ones wait.
 *
 * @throws {AppError} RATE_LIMIT_EXCEEDED when too many of the user's lists wait already
 */
export type StreamList = (userId: string, options: LongListOptions) => Promise<Readable>;

export function createLongLists({ readPage, recordsOf }: LongListsDeps): StreamList {
  const turns = createTurns(MAX_WAITING_PER_USER);

  return async (userId, options) => {
    const endTurn = await turns.take(userId, options.signal);
    if (endTurn === undefined) throw tooManyLists();
    try {
      // Before the head of the answer is sent: a database that is away is still an error of its own.
      const first = await readPage(userId);
      const pieces = jsonOf(first, (after) => readPage(userId, after), recordsOf, options);
      return Readable.from(pieces, { objectMode: false }).once('close', endTurn);
    } catch (error) {
      endTurn();
      throw error;
    }
  };
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

function tooManyLists(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: `At most ${MAX_WAITING_PER_USER} lists of your redirects can wait at a time; retry when they are done.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
