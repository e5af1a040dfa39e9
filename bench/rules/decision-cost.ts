import { compileRules } from '../../shared/rules/compile-rules.js';
import { createRegexGuard, type RegexGuard } from '../../shared/rules/regex-guard.js';
import type { RuleMatcher } from '../../shared/rules/rule-matcher.js';
import { median } from '../measure/statistics.js';
import { type Case, createWorkload, type RuleWorkload, type WorkloadName } from './rule-workload.js';

/** Cost of rules. */
export interface DecisionCost {
  readonly workload: WorkloadName;
  readonly rules: number;
  /** Nanoseconds of CPU time for a decision (median of the rounds): for visitors who match a rule, and for others. */
  readonly hitNs: number;
  readonly missNs: number;
  /** CPU time to compile all of the rules, in microseconds. */
  readonly compileUs: number;
  /** Memory of the prepared rules, beyond the rules themselves. */
  readonly bytesPerRule: number;
  /** Number of decisions that were compared with the expected ones. */
  readonly decisionsChecked: number;
}

export interface Pace {
  readonly rounds: number;
  readonly decisionsPerRound: number;
  /** Rules in all the matchers whose memory is measured together. */
  readonly rulesInMemory: number;
}

export interface RulesOrder {
  readonly workload: WorkloadName;
  readonly rules: number;
  readonly pace: Pace;
}

/**
 * Measures one workload.
 *
 * @param collectGarbage reduces the heap to the memory in use
 * @throws when a decision is wrong
 */
export function measureDecisions(
  { workload, rules, pace }: RulesOrder,
  collectGarbage: () => void,
): DecisionCost {
  const guard = createRegexGuard();
  const made = createWorkload(workload, rules);
  const compiled = compileMany(made, guard, pace.rulesInMemory, collectGarbage);
  const hits = timeDecisions(compiled.matcher, made.hits, pace);
  const misses = timeDecisions(compiled.matcher, made.misses, pace);
  return {
    workload,
    rules,
    hitNs: hits.ns,
    missNs: misses.ns,
    compileUs: compiled.us,
    bytesPerRule: compiled.bytesPerRule,
    decisionsChecked: hits.checked + misses.checked,
  };
}

/** Prepares the same rules so often that their memory is clearly measurable. */
function compileMany(
  workload: RuleWorkload,
  guard: RegexGuard,
  rulesInAll: number,
  collectGarbage: () => void,
) {
  const copies = Math.max(1, Math.round(rulesInAll / workload.rules.length));
  const matchers: RuleMatcher[] = [];
  collectGarbage();
  const bytesBefore = bytesInUse();
  const startedAtUs = cpuUs();
  for (let copy = 0; copy < copies; copy += 1) matchers.push(compileRules(workload.rules, guard));
  const us = (cpuUs() - startedAtUs) / copies;
  collectGarbage();
  const bytesPerRule = (bytesInUse() - bytesBefore) / (copies * workload.rules.length);
  const [matcher] = matchers;
  if (matcher === undefined) throw new Error('nothing was compiled');
  return { matcher, us, bytesPerRule };
}

/** CPU time of this process, without that of other processes. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Checks every decision: one by one before the timing, and by the sum of the outcomes during it. */
function timeDecisions(matcher: RuleMatcher, cases: readonly Case[], { rounds, decisionsPerRound }: Pace) {
  for (const { visitor, ruleId } of cases) {
    const decided = matcher.decide(visitor)?.ruleId;
    if (decided !== ruleId) throw new Error(`rule ${decided} decided where rule ${ruleId} had to`);
  }
  const turns = Math.ceil(decisionsPerRound / cases.length);
  const expected = turns * cases.reduce((sum, { ruleId = 0 }) => sum + ruleId, 0);
  const perDecision: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startedAtUs = cpuUs();
    const decided = decideAll(matcher, cases, turns);
    const ns = ((cpuUs() - startedAtUs) * 1_000) / (turns * cases.length);
    if (decided !== expected) throw new Error('decisions changed while they were timed');
    if (round > 0) perDecision.push(ns); // the first warms up
  }
  return { ns: median(perDecision) ?? Number.NaN, checked: cases.length * (1 + turns * (rounds + 1)) };
}

function decideAll(matcher: RuleMatcher, cases: readonly Case[], turns: number): number {
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { visitor } of cases) sum += matcher.decide(visitor)?.ruleId ?? 0;
  }
  return sum;
}
