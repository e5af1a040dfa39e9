import type { AnalyticsStore, QueryParams } from '../clickhouse/analytics-store.js';
import { type AnalyticsRepository, createAnalyticsRepository } from './analytics-repository.js';
import type { CommonMeta, Recording } from './analytics-schema.js';
import { createAtOnceLimit } from './at-once-limit.js';
import {
  DAY_MS,
  iso,
  type Period,
  type PeriodQuery,
  parsePeriod,
  periodBefore,
  startOfDay,
} from './period.js';
import type { Answered, Asking, Question } from './question.js';
import type { ShownVisitor } from './shown-visitor.js';
import { createHitSource, type HitSource, type SourceChoice } from './source.js';

/** What the statistics need to know of a redirect. */
export interface OwnedRedirect {
  readonly id: string;
  readonly samplingRate: number;
}

/** The one place that decides whose a redirect is. */
export interface RedirectOwnership {
  /** @throws AppError NOT_FOUND when there is none, FORBIDDEN when it is somebody else's */
  requireOwned(redirectId: string, userId: string): Promise<OwnedRedirect>;
}

/** The parameters of a question, read: those of every question, and its own. */
export interface QuestionQuery extends PeriodQuery {
  readonly includeBots: boolean;
}

export interface Asker {
  readonly userId: string;
  readonly redirectId: string;
  /** Aborted when the caller has left. Statements of the answer then end. */
  readonly signal?: AbortSignal | undefined;
}

/** Questions of one user that are answered at a time. */
const QUESTIONS_AT_ONCE = 8;

export interface AnalyticsServiceDeps {
  readonly store: AnalyticsStore;
  readonly redirects: RedirectOwnership;
  readonly shownVisitor: ShownVisitor;
  /** Days for which a user's plan keeps hits; undefined is for ever, and the default. */
  readonly retentionDaysOf?: (userId: string) => Promise<number | undefined>;
  /** Whether a user's plan keeps a redirect from recording visits now. Default: no. */
  readonly isRecordingPaused?: (userId: string, redirectId: string) => Promise<boolean>;
  /** What the rules of a redirect are called, by id. The store knows their ids alone, and so it is by default. */
  readonly ruleNamesOf?: (redirectId: string) => Promise<ReadonlyMap<number, string>>;
  readonly clock?: () => Date;
  /** For tests. */
  readonly source?: SourceChoice;
}

/** Answers questions about one redirect for its owner; with zeros when there are no hits. */
export interface AnalyticsService {
  /** @throws AppError NOT_FOUND, FORBIDDEN, INVALID_REQUEST, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE */
  answer(
    question: Question,
    asker: Asker,
    query: QuestionQuery,
  ): Promise<Answered<unknown, CommonMeta & Record<string, unknown>>>;
}

export function createAnalyticsService(deps: AnalyticsServiceDeps): AnalyticsService {
  const {
    redirects,
    shownVisitor,
    retentionDaysOf = async () => undefined,
    isRecordingPaused = async () => false,
    ruleNamesOf = async () => new Map(),
    clock = () => new Date(),
  } = deps;
  const questions = createAtOnceLimit({
    what: 'questions',
    maxOfUser: QUESTIONS_AT_ONCE,
    retryAfterSeconds: 1,
  });

  const answer: AnalyticsService['answer'] = async (question, { redirectId, userId, signal }, query) => {
    const repository = createAnalyticsRepository(deps.store, { owner: userId, signal });
    const redirect = await redirects.requireOwned(redirectId, userId);
    const now = clock();
    const period = parsePeriod(query, now);
    const retentionDays = await retentionDaysOf(userId);
    const asking = createAsking(period, {
      select: repository.select,
      selectLines: repository.selectLines,
      sourceOf: (asked) =>
        createHitSource(
          { redirectId: redirect.id, period: periodToRead(asked, now.getTime(), retentionDays) },
          deps.source,
        ),
      mostBot: query.includeBots ? 1 : 0,
      // Only the owner gets here.
      shownVisitor: (timeMs, storedHash) => shownVisitor(userId, timeMs, storedHash),
      ruleNames: () => ruleNamesOf(redirect.id),
    });
    const [{ data, meta }, recorded, delivery, isPaused] = await Promise.all([
      question.ask(asking, { ...query }),
      repository.recorded(asking.source),
      repository.delivery(redirect.id),
      isRecordingPaused(userId, redirect.id),
    ]);
    return {
      data,
      meta: {
        redirectId: redirect.id,
        period: { start: iso(period.startMs), end: iso(period.endMs) },
        sampling: { rate: redirect.samplingRate, ...recorded },
        delivery,
        recording: recordingOf(redirect, isPaused),
        ...meta,
      },
    };
  };

  return {
    async answer(question, asker, query) {
      const end = questions.enter(asker.userId);
      return answer(question, asker, query).finally(end);
    },
  };
}

/** A sampling rate of 0 is named first: it holds whatever the plan allows. */
function recordingOf({ samplingRate }: OwnedRedirect, isPaused: boolean): Recording {
  if (samplingRate === 0) return { active: false, reason: 'sampling_zero' };
  return isPaused ? { active: false, reason: 'monthly_limit' } : { active: true, reason: null };
}

interface AskingDeps
  extends Pick<AnalyticsRepository, 'select' | 'selectLines'>,
    Pick<Asking, 'ruleNames' | 'shownVisitor'> {
  readonly sourceOf: (period: Period) => HitSource;
  readonly mostBot: 0 | 1;
}

function createAsking(period: Period, deps: AskingDeps): Asking {
  const source = deps.sourceOf(period);
  const withSource = (params?: QueryParams) => ({ ...source.params, mostBot: deps.mostBot, ...params });
  return {
    period,
    source,
    select: (sql, params) => deps.select(sql, withSource(params)),
    selectLines: (sql, params) => deps.selectLines(sql, withSource(params)),
    before: () => createAsking(periodBefore(period), deps),
    shownVisitor: deps.shownVisitor,
    ruleNames: deps.ruleNames,
  };
}

/**
 * The hits to read for a period: none from before the days that the plan keeps, today not among them, though the
 * store may take its time to delete these. And as no hit is younger than now, a period that ends now or later is
 * read to the end of a day, so that today's hits come from the roll-ups too.
 */
function periodToRead({ startMs, endMs }: Period, nowMs: number, retentionDays?: number): Period {
  const keptFromMs = retentionDays === undefined ? startMs : startOfDay(nowMs) - retentionDays * DAY_MS;
  return {
    startMs: Math.max(startMs, keptFromMs),
    endMs: endMs < nowMs ? endMs : startOfDay(endMs) + DAY_MS - 1,
  };
}
