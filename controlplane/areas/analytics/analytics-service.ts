import type { AnalyticsStore, QueryParams } from '../../storage/clickhouse/analytics-store.js';
import {
  type AnalyticsRepository,
  asAnswer,
  createAnalyticsRepository,
  type StatementTurn,
} from './analytics-repository.js';
import type { CommonMeta, Recording } from './analytics-schema.js';
import { createAtOnceLimit } from './at-once-limit.js';
import { type CountedHits, createHitCounter, type HitCounter, readRecorded } from './hit-counts.js';
import { ALL_HITS, filterWhere, type HitFilters } from './hit-filters.js';
import { NO_ENTRIES, type PathEntries } from './path-entries.js';
import {
  DAY_MS,
  daysOf,
  iso,
  type Period,
  type PeriodQuery,
  parsePeriod,
  periodBefore,
  startOfDay,
} from './period.js';
import type {
  Answered,
  AskedList,
  BotsByDefault,
  EntriesOfRedirect,
  QueryContext,
  Question,
} from './question.js';
import { createRowsOfLists } from './rows-of-lists.js';
import type { ShownVisitor } from './shown-visitor.js';
import { createHitSource, type HitSource, type SourceChoice } from './source.js';
import { parseTimeZone, type TimeZone } from './time-zone.js';
import { createZonedTime } from './zoned-time.js';

/** Facts about a redirect that statistics need. */
export interface OwnedRedirect {
  readonly id: string;
  readonly samplingRate: number;
}

/** Checks the ownership of redirects. No other code checks it. */
export interface RedirectOwnership {
  /** @throws AppError NOT_FOUND when it does not exist, FORBIDDEN when another user owns it */
  requireOwned(redirectId: string, userId: string): Promise<OwnedRedirect>;
}

/** Members of `meta` in which answers of one request can differ. */
type OwnMeta = Pick<CommonMeta, 'bots' | 'series'> & Record<string, unknown>;
type SharedMeta = Omit<CommonMeta, 'bots' | 'series'>;

/** `meta` of several answers. */
export interface SeveralMeta extends SharedMeta {
  readonly statistics: Readonly<Record<string, OwnMeta>>;
}

/** The parsed parameters of a question: the common ones and its own. */
export interface QuestionQuery extends PeriodQuery, HitFilters {
  readonly includeBots?: boolean | undefined;
  /** Default: UTC. */
  readonly timezone?: string;
}

export interface Asker {
  readonly userId: string;
  readonly redirectId: string;
  /** Aborted when the caller has disconnected. Statements of the answer then end. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of concurrent questions per user. A dashboard sends about fifteen concurrently over HTTP/2. */
const QUESTIONS_AT_ONCE = 32;

export interface AnalyticsServiceDeps {
  readonly store: AnalyticsStore;
  readonly redirects: RedirectOwnership;
  readonly shownVisitor: ShownVisitor;
  /** Days for which a user's plan keeps hits; undefined, the default, is for ever. */
  readonly retentionDaysOf?: (userId: string) => Promise<number | undefined>;
  /** Whether a user's plan keeps a redirect from recording visits now. Default: no. */
  readonly isRecordingPaused?: (userId: string, redirectId: string) => Promise<boolean>;
  /** Returns the names of a redirect's rules by id. The store knows only ids, which are the default. */
  readonly ruleNamesOf?: (redirectId: string) => Promise<ReadonlyMap<number, string>>;
  /** The tables of paths. Default: none. */
  readonly pathEntries?: PathEntries;
  readonly clock?: () => Date;
  /** Overrides the source in tests. */
  readonly source?: SourceChoice;
}

/** Answers questions about one redirect for its owner. Without hits the answers are zeros. */
export interface AnalyticsService {
  /** @throws AppError NOT_FOUND, FORBIDDEN, INVALID_REQUEST, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE */
  answer(
    question: Question,
    asker: Asker,
    query: QuestionQuery,
  ): Promise<Answered<unknown, CommonMeta & Record<string, unknown>>>;
  /**
   * Answers several questions, by the given names. Common statements run once.
   *
   * @throws AppError as `answer` does
   */
  answerAll(
    questions: ReadonlyMap<string, Question>,
    asker: Asker,
    query: QuestionQuery,
  ): Promise<Answered<Record<string, unknown>, SeveralMeta>>;
}

export function createAnalyticsService(deps: AnalyticsServiceDeps): AnalyticsService {
  const {
    redirects,
    shownVisitor,
    retentionDaysOf = async () => undefined,
    isRecordingPaused = async () => false,
    ruleNamesOf = async () => new Map(),
    pathEntries = NO_ENTRIES,
    clock = () => new Date(),
  } = deps;
  const questions = createAtOnceLimit({
    what: 'questions',
    maxOfUser: QUESTIONS_AT_ONCE,
    retryAfterSeconds: 1,
  });

  const rowsOfLists = createRowsOfLists();

  /** Reads the parameters that all questions of one request share. */
  async function open({ redirectId, userId, signal }: Asker, query: QuestionQuery) {
    const repository = createAnalyticsRepository(deps.store, { owner: userId, signal });
    const redirect = await redirects.requireOwned(redirectId, userId);
    const now = clock();
    const zone = parseTimeZone(query.timezone ?? 'UTC');
    const period = parsePeriod(query, now, zone);
    const retentionDays = await retentionDaysOf(userId);
    const select = selectOnce(repository.select);
    const counter = createHitCounter(repository.select);
    const sourceOf = (asked: Period, where = ALL_HITS) =>
      createHitSource(
        { redirectId: redirect.id, period: periodToRead(asked, now.getTime(), retentionDays), where },
        deps.source,
      );
    const filters = filterWhere(query);
    const askingOf = (bots: Bots) =>
      createQueryContext(period, {
        ...{ select, selectLines: repository.selectLines, counter, zone, bots },
        sourceOf: (asked) => sourceOf(asked, filters),
        // Only the owner reaches this.
        shownVisitor: (timeMs, storedHash) => shownVisitor(userId, timeMs, storedHash),
        ruleNames: () => ruleNamesOf(redirect.id),
        rowsOfLists: rowsOfLists.of(redirect.id, daysOf(period, zone), filters),
        pathEntries: entriesOf(pathEntries, redirect.id),
      });

    return {
      async ask(question: Question): Promise<Answered<unknown, OwnMeta>> {
        const bots = botsOf(question.bots, query.includeBots);
        const { data, meta } = await question.ask(askingOf(bots), { ...query });
        const series = Object.entries(question.series?.({ ...query }) ?? {}).map(
          ([list, unit]) => [list, { unit, timezone: zone.name }] as const,
        );
        const own = { bots: bots.inTotals ? 'included' : 'excluded', series: Object.fromEntries(series) };
        return { data, meta: { ...own, ...meta } as OwnMeta };
      },
      async meta(): Promise<SharedMeta> {
        const [recorded, delivery, isPaused] = await Promise.all([
          readRecorded(counter, sourceOf(period)),
          repository.delivery(redirect.id),
          isRecordingPaused(userId, redirect.id),
        ]);
        return {
          redirectId: redirect.id,
          period: { start: iso(period.startMs), end: iso(period.endMs) },
          sampling: { rate: redirect.samplingRate, ...recorded },
          delivery,
          recording: recordingOf(redirect, isPaused),
          timezone: zone.name,
        };
      },
    };
  }

  return {
    answer: (question, asker, query) =>
      questions.during(asker.userId, async () => {
        const opened = await open(asker, query);
        const [{ data, meta }, shared] = await Promise.all([opened.ask(question), opened.meta()]);
        return { data, meta: { ...shared, ...meta } };
      }),

    answerAll: (included, asker, query) =>
      questions.during(asker.userId, async () => {
        const opened = await open(asker, query);
        const answering = [...included].map(
          async ([name, question]) => [name, await opened.ask(question)] as const,
        );
        const [shared, answers] = await Promise.all([opened.meta(), Promise.all(answering)]);
        const data = Object.fromEntries(answers.map(([name, answer]) => [name, answer.data]));
        const statistics = Object.fromEntries(answers.map(([name, { meta }]) => [name, meta]));
        return { data, meta: { ...shared, statistics } };
      }),
  };
}

function entriesOf(entries: PathEntries, redirectId: string): EntriesOfRedirect {
  const refuse = (error: unknown) => {
    throw asAnswer(error);
  };
  return {
    named: (ids) => entries.named(redirectId, ids).catch(refuse),
    neverHit: (limit) => entries.neverHit(redirectId, limit).catch(refuse),
  };
}

/** Returns the treatment of bots in an answer. */
interface Bots {
  readonly inTotals: boolean;
  readonly inLists: boolean;
}

function botsOf(byDefault: BotsByDefault = 'excluded', includeBots: boolean | undefined): Bots {
  if (byDefault === 'always') return { inTotals: true, inLists: true };
  const inLists = includeBots ?? byDefault === 'included';
  return { inTotals: includeBots ?? byDefault !== 'excluded', inLists };
}

/** Runs equal statements with equal parameters once. */
function selectOnce(select: AnalyticsRepository['select']): AnalyticsRepository['select'] {
  const running = new Map<string, Promise<object[]>>();
  return <Row extends object>(sql: string, params: QueryParams, turn?: StatementTurn) => {
    const key = JSON.stringify([sql, params]);
    const rows = running.get(key) ?? select<Row>(sql, params, turn);
    running.set(key, rows);
    return rows as Promise<Row[]>;
  };
}

/** Check a sampling rate of 0 first, because it applies with any plan. */
function recordingOf({ samplingRate }: OwnedRedirect, isPaused: boolean): Recording {
  if (samplingRate === 0) return { active: false, reason: 'sampling_zero' };
  return isPaused ? { active: false, reason: 'monthly_limit' } : { active: true, reason: null };
}

interface QueryContextDeps
  extends Pick<AnalyticsRepository, 'select' | 'selectLines'>,
    Pick<QueryContext, 'ruleNames' | 'rowsOfLists' | 'pathEntries' | 'shownVisitor'> {
  readonly sourceOf: (period: Period) => HitSource;
  readonly counter: HitCounter;
  readonly zone: TimeZone;
  readonly bots: Bots;
}

function createQueryContext(period: Period, deps: QueryContextDeps): QueryContext {
  const source = deps.sourceOf(period);
  const zoned = createZonedTime(deps.zone, period);
  const { inTotals, inLists } = deps.bots;
  const hitsOf = (of: AskedList<never>['of']): CountedHits => {
    if (of === 'audience') return inLists ? 'all' : 'people';
    if (of === 'counted') return inTotals ? 'all' : 'people';
    return of;
  };
  const given = { ...source.params, ...zoned.params, mostBot: Number(inLists) };
  return {
    period,
    source,
    zoned,
    listsBots: inLists,
    countHits: (list) => deps.counter.count(source, { ...list, of: hitsOf(list.of), params: zoned.params }),
    select: (sql, params, turn) => deps.select(sql, { ...given, ...params }, turn),
    selectLines: (sql, params) => deps.selectLines(sql, { ...given, ...params }),
    before: () => createQueryContext(periodBefore(period, deps.zone), deps),
    shownVisitor: deps.shownVisitor,
    ruleNames: deps.ruleNames,
    rowsOfLists: deps.rowsOfLists,
    pathEntries: deps.pathEntries,
  };
}

/**
 * Limits a period to the hits that may be read: none older than the plan's retention, today not included, although
 * the store may delete them late. No hit is in the future, so a period that ends now or later is extended to the end
 * of the day. Today's hits then come from roll-ups too.
 */
function periodToRead({ startMs, endMs }: Period, nowMs: number, retentionDays?: number): Period {
  const keptFromMs = retentionDays === undefined ? startMs : startOfDay(nowMs) - retentionDays * DAY_MS;
  return {
    startMs: Math.max(startMs, keptFromMs),
    endMs: endMs < nowMs ? endMs : startOfDay(endMs) + DAY_MS - 1,
  };
}
