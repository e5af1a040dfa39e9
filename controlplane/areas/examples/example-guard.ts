import { createHttpsUpgrade } from '../../../shared/ruleset/https-upgrade.js';
import {
  type BrokenExamples,
  examplesBroken,
  examplesTooSlow,
  MAX_LISTED,
} from '../../errors/examples-broken.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { type ExampleGuard, type Redirect, redirectRepository } from '../redirects/public.js';
import type { VisitorInsight } from '../rules/public.js';
import {
  type DescribedExample,
  describeAll,
  explainAll,
  judgeAll,
  OutOfTime,
  type TimeLeft,
} from './check-examples.js';
import { exampleRepository } from './example-repository.js';
import {
  answerAlike,
  type DraftedState,
  draftedState,
  type ServedState,
  statesOfSettings,
  storedState,
} from './served-state.js';

/** Processor time of a check that holds locks. */
const MAX_CHECK_MS = 1_000;

/** The guard of changes, and the check of drafts. */
export interface Examples extends ExampleGuard {
  /**
   * Returns the examples that pass now and that a draft would break.
   *
   * @throws {AppError} EXAMPLES_BROKEN if the check takes too long
   */
  brokenBy(source: Queryable, current: Redirect, drafted: DraftedState): Promise<BrokenExamples>;
}

export interface ExampleGuardOptions {
  readonly clock?: () => Date;
  /** Processor time of a check. */
  readonly maxCheckMs?: number;
  /** Public port of HTTPS. Default: 443. */
  readonly publicHttpsPort?: number;
}

export function createExampleGuard(
  insight: VisitorInsight,
  { clock = () => new Date(), maxCheckMs = MAX_CHECK_MS, publicHttpsPort }: ExampleGuardOptions = {},
): Examples {
  const upgrade = createHttpsUpgrade(publicHttpsPort);

  /** @throws {AppError} EXAMPLES_BROKEN */
  async function requireNone(
    described: readonly DescribedExample[],
    before: ServedState,
    after: ServedState,
  ): Promise<void> {
    const broken = await findBroken(described, before, after, maxCheckMs);
    if (broken.count > 0) throw examplesBroken(broken);
  }

  /** Reads the examples with their visits. All visits of a check have the same time, unless an example sets it. */
  async function describedExamples(source: Queryable, redirect: Redirect): Promise<DescribedExample[]> {
    const { examples } = await exampleRepository.find(source, redirect.id);
    return describeAll(examples, redirect.fromDomain, insight, clock(), upgrade);
  }

  return {
    async keep(tx, user, redirect, change) {
      if (redirect.exampleCount === 0 || user.mayBreakExamples === true) return change();
      const described = await describedExamples(tx, redirect);
      const visits = described.map(({ visit }) => visit);
      const before = await storedState(tx, redirect, visits);
      const result = await change();
      const changed = await redirectRepository.findById(tx, redirect.id);
      if (changed !== undefined) await requireNone(described, before, await storedState(tx, changed, visits));
      return result;
    },

    async requireKept(tx, user, before, after) {
      if (before.exampleCount === 0 || user.mayBreakExamples === true || answerAlike(before, after)) return;
      const described = await describedExamples(tx, before);
      const visits = described.map(({ visit }) => visit);
      const [stateBefore, stateAfter] = await statesOfSettings(tx, before, after, visits);
      await requireNone(described, stateBefore, stateAfter);
    },

    async brokenBy(source, current, drafted) {
      if (current.exampleCount === 0) return { count: 0, listed: [] };
      const described = await describedExamples(source, current);
      const visits = described.map(({ visit }) => visit);
      const before = await storedState(source, current, visits);
      const after = await draftedState(source, drafted, visits);
      return findBroken(described, before, after, maxCheckMs);
    },
  };
}

/** Finds the examples that fail after a change and passed before. */
async function findBroken(
  described: readonly DescribedExample[],
  before: ServedState,
  after: ServedState,
  maxCheckMs: number,
): Promise<BrokenExamples> {
  const left: TimeLeft = { ms: maxCheckMs };
  try {
    const failed = (await judgeAll(after, described, left)).filter(({ passes }) => !passes);
    const passedBefore = await judgeAll(before, failed, left);
    const broken = failed.filter((_, index) => passedBefore[index]?.passes === true);
    const listed = broken.slice(0, MAX_LISTED);
    const messages = await explainAll(after, listed);
    return {
      count: broken.length,
      listed: listed.map(({ example: { name } }, index) => ({ name, message: messages[index] ?? '' })),
    };
  } catch (error) {
    if (error instanceof OutOfTime) throw examplesTooSlow(maxCheckMs);
    throw error;
  }
}
