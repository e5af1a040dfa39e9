import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { CountedHits, CountedList, CountedRow } from './hit-counts.js';
import type { NamedEntry, NeverHit } from './path-entries.js';
import type { Period } from './period.js';
import type { HitSource } from './source.js';
import type { ZonedTime } from './zoned-time.js';

/** The context of one question: a redirect, its owner, a period, and whether bots are included. */
export interface QueryContext {
  /** Period that the caller gave. Hits older than the plan's retention are not found. */
  readonly period: Period;
  readonly source: HitSource;
  /** Days and hours of the caller's time zone. */
  readonly zoned: ZonedTime;
  /** Whether bots are among what lists and unique visitors are made of. */
  readonly listsBots: boolean;
  /**
   * Counts hits by some keys. Lists of one roll-up that the questions of a request ask for at once take one statement, so
   * ask for them before anything else is awaited.
   *
   * @throws AppError SERVICE_UNAVAILABLE when the store cannot be reached or does not answer in time
   */
  countHits<Key extends string>(list: AskedList<Key>): Promise<CountedRow<Key>[]>;
  /**
   * Runs one SELECT. The parameters of the source, of `zoned` and of `AUDIENCE` are there already.
   *
   * @throws AppError SERVICE_UNAVAILABLE when the store cannot be reached or does not answer in time
   */
  select<Row extends object>(sql: string, params?: QueryParams): Promise<Row[]>;
  /** Runs a query and returns the unparsed rows: one JSON object per line, in UTF-8. */
  selectLines(sql: string, params?: QueryParams): Promise<Buffer>;
  /** The same context for the period of equal length before this one. */
  before(): QueryContext;
  /**
   * The visitor id to show for a hit.
   *
   * @param timeMs when the hit was answered, Unix time
   */
  shownVisitor(timeMs: number, storedHash: string): string;
  /** Names of the redirect's rules by id, without deleted rules. */
  ruleNames(): Promise<ReadonlyMap<number, string>>;
  /** The redirect's table of paths. */
  readonly pathEntries: EntriesOfRedirect;
}

/** A list to count. Its keys may have the parameters of `zoned`. */
export interface AskedList<Key extends string> extends Omit<CountedList<Key>, 'of' | 'params'> {
  /** `audience`: what lists and visitors are made of; `counted`: what totals are made of. */
  readonly of: CountedHits | 'audience' | 'counted';
}

/** `PathEntries` of one redirect. */
export interface EntriesOfRedirect {
  named(ids: readonly number[]): Promise<ReadonlyMap<number, NamedEntry>>;
  neverHit(limit: number): Promise<NeverHit>;
}

/** The hits that lists and uniques are made of: those of people, and of bots too if the caller says `includeBots`. */
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

/**
 * One question about a redirect: an endpoint that differs from the others in what is written here, and in nothing
 * else.
 */
export interface Question<
  Query extends TProperties = TProperties,
  Data extends TSchema = TSchema,
  Meta extends TProperties = TProperties,
> {
  /** Below `/analytics/redirect/:redirectId/`. */
  readonly path: string;
  /** One line for the document. */
  readonly summary: string;
  /** Name of the answer in the document. */
  readonly title: string;
  /** Parameters beside the period and `includeBots`. */
  readonly query: Query;
  readonly data: Data;
  /** Members of `meta` beside those of every answer. */
  readonly meta: Meta;
  /** Default: `excluded`. */
  readonly bots?: BotsByDefault;
  /** The lists of `data` that are drawn as series, which have no gaps. Default: none. */
  series?(query: Static<TObject<Query>>): Readonly<Record<string, SeriesUnit>>;
  ask(
    context: QueryContext,
    query: Static<TObject<Query>>,
  ): Promise<Answered<Static<Data>, Static<TObject<Meta>>>>;
}

/** Has the compiler hold the parts of a question against each other. */
export function defineQuestion<Query extends TProperties, Data extends TSchema, Meta extends TProperties>(
  question: Question<Query, Data, Meta>,
): Question<Query, Data, Meta> {
  return question;
}
