import type { GapReason } from './gap.js';
import { type Answer, type Change, type Judge, type JudgedRule, receivedBy } from './judge.js';
import type { VisitExample, VisitGroup } from './visit-group.js';

/** Maximum number of distinct changes. All further ones are counted together, rule by rule. */
const MAX_CHANGES = 200;
const MAX_EXAMPLES = 3;
/**
 * Maximum groups on which undecided rules are tried. This distinguishes rules that match no visits from shadowed ones.
 */
const MAX_TRIED_GROUPS = 20_000;

export interface CountedChange {
  readonly from: Answer;
  readonly to: Answer;
  /** Whether it counts changes with any destination. */
  readonly isRest: boolean;
  visits: number;
  weight: number;
  readonly examples: VisitExample[];
}

/** Visits that cannot be judged for one reason. */
export interface CountedGap {
  readonly attribute: string;
  readonly reason: GapReason;
  visits: number;
  weight: number;
}

/** Counts judgements. Its memory does not grow with the visits. */
export interface Tally {
  add(group: VisitGroup): void;
  replayed(): number;
  result(): TallyResult;
}

export interface TallyResult {
  readonly replayed: number;
  /** Weight of all replayed visits, and the sum of the squares of the weights of single ones. */
  readonly weight: number;
  readonly squares: number;
  readonly unchanged: number;
  readonly changed: number;
  readonly unjudged: number;
  readonly byChange: Readonly<Record<Change, number>>;
  readonly changes: readonly CountedChange[];
  readonly gaps: readonly CountedGap[];
  readonly before: ReadonlyMap<number, number>;
  readonly after: ReadonlyMap<number, number>;
  /** Rules that matched visits for which an earlier rule decided. */
  readonly shadowed: ReadonlySet<number>;
  readonly loops: number;
}

export function createTally(judge: Judge): Tally {
  const changes: CountedChange[] = [];
  const changesFrom = new Map<string, CountedChange[]>();
  /** Changes with any destination, by the rules before and after. */
  const rest = new Map<number, Map<number, CountedChange[]>>();
  const gaps = new Map<string, CountedGap>();
  const before = new Map<number, number>();
  const after = new Map<number, number>();
  const shadowed = new Set<number>();
  const byChange: Record<Change, number> = { otherDestination: 0, otherRule: 0, otherVariant: 0 };
  const counts = { replayed: 0, weight: 0, squares: 0, unchanged: 0, changed: 0, unjudged: 0, loops: 0 };
  let silent: JudgedRule[] = [...judge.rules];
  let tried = 0;

  function count(map: Map<number, number>, ruleId: number, visits: number): void {
    map.set(ruleId, (map.get(ruleId) ?? 0) + visits);
  }

  function addChange(from: Answer, to: Answer, group: VisitGroup): void {
    const change =
      changesFrom.get(from.destination)?.find((known) => isSame(known.from, from) && isSame(known.to, to)) ??
      (changes.length < MAX_CHANGES ? newChange(from, to) : restOf(from, to));
    change.visits += group.visits;
    change.weight += group.weight;
    if (change.examples.length < MAX_EXAMPLES) change.examples.push(group.example);
  }

  function newChange(from: Answer, to: Answer): CountedChange {
    const change: CountedChange = { from, to, isRest: false, visits: 0, weight: 0, examples: [] };
    changes.push(change);
    const known = changesFrom.get(from.destination);
    if (known === undefined) changesFrom.set(from.destination, [change]);
    else known.push(change);
    return change;
  }

  /** Returns the change that counts all further destinations of a decision. */
  function restOf(from: Answer, to: Answer): CountedChange {
    const byRule = getOrAdd(rest, from.ruleId, () => new Map<number, CountedChange[]>());
    const ofRules = getOrAdd(byRule, to.ruleId, () => []);
    const known = ofRules.find(
      (one) => isSameButDestination(one.from, from) && isSameButDestination(one.to, to),
    );
    if (known !== undefined) return known;
    const [one, other] = [withoutDestination(from), withoutDestination(to)];
    const change: CountedChange = { from: one, to: other, isRest: true, visits: 0, weight: 0, examples: [] };
    ofRules.push(change);
    return change;
  }

  function restOfAll(): CountedChange[] {
    return [...rest.values()].flatMap((byRule) => [...byRule.values()].flat());
  }

  /** Records which undecided rules match visits of the group. */
  function trySilent(group: VisitGroup): void {
    if (silent.length === 0 || tried >= MAX_TRIED_GROUPS) return;
    tried += 1;
    silent = silent.filter((rule) => {
      if (after.has(rule.definition.id)) return false;
      if (!judge.matches(rule, group)) return true;
      shadowed.add(rule.definition.id);
      return false;
    });
  }

  return {
    add(group) {
      const { visits, weight } = group;
      const judged = judge.judge(group);
      const from = receivedBy(group);
      counts.replayed += visits;
      counts.weight += weight;
      counts.squares += group.squares;
      count(before, from.ruleId, visits);
      counts[judged.kind] += visits;
      if (judged.kind === 'unjudged') {
        const { attribute, reason } = judged.gap;
        const key = `${attribute} ${reason}`;
        const gap = gaps.get(key) ?? { attribute, reason, visits: 0, weight: 0 };
        gap.visits += visits;
        gap.weight += weight;
        gaps.set(key, gap);
        return;
      }
      const { answer } = judged;
      count(after, answer.ruleId, visits);
      if (answer.statusCode === 508 && from.statusCode !== 508) counts.loops += visits;
      trySilent(group);
      if (judged.kind === 'unchanged') return;
      byChange[judged.change] += visits;
      addChange(from, answer, group);
    },
    replayed: () => counts.replayed,
    result: () => ({
      ...counts,
      byChange,
      changes: [...changes, ...restOfAll()].sort((one, other) => other.visits - one.visits),
      gaps: [...gaps.values()].sort((one, other) => other.visits - one.visits),
      before,
      after,
      shadowed,
    }),
  };
}

function isSame(one: Answer, other: Answer): boolean {
  return isSameButDestination(one, other) && one.destination === other.destination;
}

function isSameButDestination(one: Answer, other: Answer): boolean {
  return one.ruleId === other.ruleId && one.statusCode === other.statusCode && one.variant === other.variant;
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** A decision whose destination does not count. */
function withoutDestination(answer: Answer): Answer {
  return { ...answer, destination: '' };
}
