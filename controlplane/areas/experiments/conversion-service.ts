import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import { asAnswer, createAnalyticsRepository, createAtOnceLimit } from '../analytics/public.js';
import { parseConversions } from './conversion-input.js';
import { conversionRepository } from './conversion-repository.js';
import type { RequireExperiment } from './experiment.js';
import type { ConversionsAnswer, PostedConversion } from './experiment-schema.js';
import type { VisitorLookup } from './visitor-lookup.js';

/** Maximum conversions of one experiment. */
const MAX_CONVERSIONS = 1_000_000;
/** Maximum concurrent calls of one user. */
const CALLS_AT_ONCE = 8;
const FOR_EVER_DAYS = 0;

export interface ConversionServiceDeps extends Pick<AreaParts, 'database' | 'store'> {
  readonly requireExperiment: RequireExperiment;
  readonly findVisitors: VisitorLookup;
  /** Days for which a user's plan keeps hits; undefined is for ever. */
  readonly retentionDaysOf: (userId: string) => Promise<number | undefined>;
  readonly now: () => Date;
}

export interface ConversionPost {
  readonly userId: string;
  readonly ruleId: string;
  readonly conversions: readonly PostedConversion[];
  readonly signal: AbortSignal;
}

/** Stores conversions of an experiment, each id once. */
export type PostConversions = (post: ConversionPost) => Promise<ConversionsAnswer>;

/**
 * Writes conversions to ClickHouse first, and then their ids to PostgreSQL. A call that fails in between can be
 * repeated: the same rows are one conversion, and ids are counted by PostgreSQL alone.
 */
export function createPostConversions(deps: ConversionServiceDeps): PostConversions {
  const { database, store, requireExperiment, findVisitors, retentionDaysOf, now } = deps;
  const calls = createAtOnceLimit({
    what: 'calls with conversions',
    maxOfUser: CALLS_AT_ONCE,
    retryAfterSeconds: 1,
  });

  async function post({ userId, ruleId, conversions, signal }: ConversionPost): Promise<ConversionsAnswer> {
    const { rule } = await requireExperiment(ruleId, userId);
    const parsed = parseConversions(conversions, now().getTime());
    // Of equal ids in one call, the first counts.
    const byId = new Map([...parsed].reverse().map((conversion) => [conversion.id, conversion]));
    const known = await conversionRepository.knownIds(database, rule.id, [...byId.keys()]);
    const candidates = [...byId.values()].filter(({ id }) => !known.has(id));
    const { select } = createAnalyticsRepository(store, { owner: userId, signal });
    const joined = await findVisitors(
      { select, ownerId: userId, redirectId: rule.redirectId, ruleId: rule.id },
      candidates,
    );
    const accepted = joined.length === 0 ? 0 : await keep(userId, rule, joined);
    const unknown = countUnknown(parsed, new Set([...known, ...joined.map(({ id }) => id)]));
    return { accepted, duplicates: parsed.length - accepted - unknown, unknown };
  }

  async function keep(
    userId: string,
    rule: { readonly id: number; readonly redirectId: string },
    joined: Awaited<ReturnType<VisitorLookup>>,
  ): Promise<number> {
    await requireRoomFor(rule.id, joined.length);
    const retentionDays = (await retentionDaysOf(userId)) ?? FOR_EVER_DAYS;
    await conversionRepository.noteSet(database, rule.id, rule.redirectId);
    const set = { ruleId: rule.id, redirectId: rule.redirectId };
    await conversionRepository.store(store, set, joined, retentionDays).catch((error: unknown) => {
      throw asAnswer(error);
    });
    return conversionRepository.noteIds(database, rule.id, joined, retentionDays);
  }

  async function requireRoomFor(ruleId: number, more: number): Promise<void> {
    const stored = await conversionRepository.countIds(database, ruleId, MAX_CONVERSIONS);
    if (stored + more <= MAX_CONVERSIONS) return;
    throw new AppError('VALIDATION_ERROR', {
      field: 'conversions',
      message: `An experiment has up to ${MAX_CONVERSIONS} conversions, and this one has ${stored}. Continue with a copy of the rule.`,
    });
  }

  return (conversionPost) => calls.during(conversionPost.userId, () => post(conversionPost));
}

/** Counts ids that are neither known nor stored now. An id that is posted twice counts twice. */
function countUnknown(parsed: readonly { readonly id: string }[], stored: ReadonlySet<string>): number {
  return parsed.filter(({ id }) => !stored.has(id)).length;
}
