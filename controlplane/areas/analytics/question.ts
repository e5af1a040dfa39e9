import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { StatementTurn } from './analytics-repository.js';
import type { CountedHits, CountedList, CountedRow } from './hit-counts.js';
import type { NamedEntry, NeverHit } from './path-entries.js';
import type { Period } from './period.js';
import type { RowsOfLists } from './rows-of-lists.js';
import type { HitSource } from './source.js';
import type { ZonedTime } from './zoned-time.js';

/** The context of one question: a redirect, its owner, a period, and whether bots are included. */
export interface QueryContext {
  /** Period that the caller gave. Hits older than the plan's retention are not found. */
  readonly period: Period;
  readonly source: HitSource;
  /** Days and hours of the caller's time zone. */
  readonly zoned: ZonedTime;
  /** Whether lists and unique visitors include bots. */
  readonly listsBots: boolean;
  /**
   * Counts hits by some keys. Lists of one roll-up that the questions of a request start in the same turn share one
   * statement, so start them before other awaits.
   *
   * @throws AppError SERVICE_UNAVAILABLE when the store cannot be reached or does not answer in time
   */
  countHits<Key extends string>(list: AskedList<Key>): Promise<CountedRow<Key>[]>;
  /**
   * Runs one SELECT. The parameters of the source, of `zoned` and of `AUDIENCE` are set already.
   *
   * @throws AppError SERVICE_UNAVAILABLE when the store cannot be reached or does not answer in time
   */
  select<Row extends object>(sql: string, params?: QueryParams, turn?: StatementTurn): Promise<Row[]>;
  /** Runs a query and returns the unparsed rows: one JSON object per line, in UTF-8. */
  selectLines(sql: string, params?: QueryParams): Promise<Buffer>;
  /** The same context for the period of equal length before this one. */
  before(): QueryContext;
  /**
   * Returns the visitor id to show for a hit.
   *
   * @param timeMs time of the hit, Unix time
   */
  shownVisitor(timeMs: number, storedHash: string): string;
  /** Names of the redirect's rules by id, without deleted rules. */
  ruleNames(): Promise<ReadonlyMap<number, string>>;
  /** Numbers of rows of lists at their last read, by name. They are hints for the next read. */
  readonly rowsOfLists: RowsOfLists;
  /** The redirect's table of paths. */
  readonly pathEntries: EntriesOfRedirect;
}

/** A list to count. Its keys may use the parameters of `zoned`. */
export interface AskedList<Key extends string> extends Omit<CountedList<Key>, 'of' | 'params'> {
  /** `audience`: hits that lists and visitors count; `counted`: hits that totals count. */
  readonly of: CountedHits | 'audience' | 'counted';
}

/** `PathEntries` of one redirect. */
export interface EntriesOfRedirect {
  named(ids: readonly number[]): Promise<ReadonlyMap<number, NamedEntry>>;
  neverHit(limit: number): Promise<NeverHit>;
}

/** Hits that lists and uniques count: those of people, and of bots with `includeBots`. */
export const AUDIENCE = 'is_bot <= {mostBot:UInt8}';

/**
 * Treatment of bot hits in an answer. `excluded` and `included` are defaults that the caller can change. `totals`
 * counts bots by default, and lists them and counts them as unique visitors only on request. `always` includes them.
 */
export type BotsByDefault = 'excluded' | 'included' | 'totals' | 'always';

/** Unit of a series' points. */
export const SERIES_UNITS = [
  'hour',
  'day',
  'week',
  'month',
  'hour-of-day',
  'day-of-week',
  'visits-per-visitor',
  'period',
] as const;
export type SeriesUnit = (typeof SERIES_UNITS)[number];

export interface Answered<Data, Meta> {
  readonly data: Data;
  /** Members of `meta` that only this question has. */
  readonly meta: Meta;
}

/** One question about a redirect. An endpoint differs from the others only in these members. */
export interface Question<
  Query extends TProperties = TProperties,
  Data extends TSchema = TSchema,
  Meta extends TProperties = TProperties,
> {
  /** Path below `/analytics/redirect/:redirectId/`. */
  readonly path: string;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Name of the answer in the OpenAPI document. */
  readonly title: string;
  /** Further parameters. */
  readonly query: Query;
  readonly data: Data;
  /** Further members of `meta`. */
  readonly meta: Meta;
  /** Default: `excluded`. */
  readonly bots?: BotsByDefault;
  /** The lists of `data` that are series, which have no gaps. Default: none. */
  series?(query: Static<TObject<Query>>): Readonly<Record<string, SeriesUnit>>;
  ask(
    context: QueryContext,
    query: Static<TObject<Query>>,
  ): Promise<Answered<Static<Data>, Static<TObject<Meta>>>>;
}

/** Makes the compiler check that the parts of a question fit each other. */
export function defineQuestion<Query extends TProperties, Data extends TSchema, Meta extends TProperties>(
  question: Question<Query, Data, Meta>,
): Question<Query, Data, Meta> {
  return question;
}
