import { isDeepStrictEqual } from 'node:util';
import type { PathOptions } from '../../../shared/paths/path-entry.js';
import type { EntryState, RedirectState, RuleState, VersionState } from './version-state.js';

/**
 * The earlier values of the members that a change has changed. Rules and entries are keyed by their ids; null for those
 * that did not exist. An empty delta means that the state did not change.
 */
export interface ReverseDelta {
  readonly redirect?: Partial<RedirectState>;
  readonly rules?: Readonly<Record<string, RuleState | null>>;
  /** Priorities of rules whose other members did not change. */
  readonly priorities?: Readonly<Record<string, number>>;
  readonly options?: Partial<PathOptions>;
  readonly entries?: Readonly<Record<string, EntryState | null>>;
}

/** Items to compare before other work gets its turn. */
const ITEMS_PER_STEP = 1_000;

interface WithId {
  readonly id: number;
}

/** Returns the difference from `after` back to `before`. */
export function deltaBetween(before: VersionState, after: VersionState): ReverseDelta {
  return {
    ...redirectDelta(before.redirect, after.redirect),
    ...rulesDelta(before.rules, after.rules),
    ...optionsDelta(before.paths.options, after.paths.options),
    ...entriesDelta(before.paths.entries, after.paths.entries),
  };
}

export function redirectDelta(before: RedirectState, after: RedirectState): ReverseDelta {
  return partOf('redirect', membersBefore(before, after));
}

/** @param before rules that the change affects; the others can be omitted on both sides */
export function rulesDelta(before: readonly RuleState[], after: readonly RuleState[]): ReverseDelta {
  const rules: Record<string, RuleState | null> = {};
  const priorities: Record<string, number> = {};
  const now = new Map(after.map((rule) => [String(rule.id), rule]));
  for (const [id, earlier] of Object.entries(itemsBefore(before, after))) {
    const isMoved = isDeepStrictEqual({ ...earlier, priority: 0 }, { ...now.get(id), priority: 0 });
    if (earlier !== null && isMoved) priorities[id] = earlier.priority;
    else rules[id] = earlier;
  }
  return { ...partOf('rules', rules), ...partOf('priorities', priorities) };
}

/** Adds the earlier priorities of rules that the change moved. */
export function withPriorities(
  delta: ReverseDelta,
  before: readonly { readonly id: number; readonly priority: number }[],
): ReverseDelta {
  const moved = Object.fromEntries(before.map(({ id, priority }) => [id, priority]));
  return { ...delta, ...partOf('priorities', { ...delta.priorities, ...moved }) };
}

export function optionsDelta(before: PathOptions, after: PathOptions): ReverseDelta {
  return partOf('options', membersBefore(before, after));
}

/** @param before entries that the change affects; the others can be omitted on both sides */
export function entriesDelta(before: readonly EntryState[], after: readonly EntryState[]): ReverseDelta {
  return partOf('entries', itemsBefore(before, after));
}

/** Returns the state before a change. */
export function applyDelta(state: VersionState, delta: ReverseDelta): VersionState {
  const { redirect, rules, priorities = {}, options, entries } = delta;
  const placed = withItems(state.rules, rules).map((rule) => ({
    ...rule,
    priority: priorities[rule.id] ?? rule.priority,
  }));
  return {
    redirect: redirect === undefined ? state.redirect : { ...state.redirect, ...redirect },
    rules: placed.sort((a, b) => a.priority - b.priority),
    paths: {
      options: options === undefined ? state.paths.options : { ...state.paths.options, ...options },
      entries:
        entries === undefined
          ? state.paths.entries
          : withItems(state.paths.entries, entries).map(withPathEnding).sort(byId),
    },
  };
}

/** Returns the delta with the effect of `later` and then `earlier`, in time linear in `earlier`. Changes `later`. */
export function mergeDeltas(later: MutableDelta, earlier: ReverseDelta): void {
  if (earlier.redirect !== undefined) later.redirect = { ...later.redirect, ...earlier.redirect };
  if (earlier.options !== undefined) later.options = { ...later.options, ...earlier.options };
  if (earlier.entries !== undefined) later.entries = Object.assign(later.entries ?? {}, earlier.entries);
  if (earlier.rules !== undefined) {
    later.rules = Object.assign(later.rules ?? {}, earlier.rules);
    for (const id of Object.keys(earlier.rules)) delete later.priorities?.[id];
  }
  for (const [id, priority] of Object.entries(earlier.priorities ?? {})) {
    const { rules = {} } = later;
    const rule = rules[id];
    if (rule) rules[id] = { ...rule, priority };
    else later.priorities = Object.assign(later.priorities ?? {}, { [id]: priority });
  }
}

/** A delta into which others are merged. */
export interface MutableDelta {
  redirect?: Partial<RedirectState>;
  rules?: Record<string, RuleState | null>;
  priorities?: Record<string, number>;
  options?: Partial<PathOptions>;
  entries?: Record<string, EntryState | null>;
}

function partOf(name: keyof ReverseDelta, part: object): ReverseDelta {
  return Object.keys(part).length === 0 ? {} : { [name]: part };
}

function membersBefore<State extends object>(before: State, after: State): Partial<State> {
  const changed: Partial<State> = {};
  for (const name of Object.keys(before) as (keyof State)[]) {
    if (!isDeepStrictEqual(before[name], after[name])) changed[name] = before[name];
  }
  return changed;
}

/** Does the same as `entriesDelta` in steps for `inTurns`: a table has up to 100,000 entries. */
export function* entriesDeltaInSteps(
  before: readonly EntryState[],
  after: readonly EntryState[],
): Generator<undefined, ReverseDelta> {
  return partOf('entries', yield* itemsBeforeInSteps(before, after));
}

function itemsBefore<Item extends WithId>(
  before: readonly Item[],
  after: readonly Item[],
): Record<string, Item | null> {
  const steps = itemsBeforeInSteps(before, after);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function* itemsBeforeInSteps<Item extends WithId>(
  before: readonly Item[],
  after: readonly Item[],
): Generator<undefined, Record<string, Item | null>> {
  const left = new Map(before.map((item) => [item.id, item]));
  const changed: Record<string, Item | null> = {};
  for (const [index, item] of after.entries()) {
    if (index % ITEMS_PER_STEP === 0) yield;
    const earlier = left.get(item.id);
    left.delete(item.id);
    if (earlier === undefined) changed[item.id] = null;
    else if (!isDeepStrictEqual(earlier, item)) changed[item.id] = earlier;
  }
  for (const item of left.values()) changed[item.id] = item;
  return changed;
}

function withItems<Item extends WithId>(
  items: readonly Item[],
  changed: Readonly<Record<string, Item | null>> = {},
): Item[] {
  const byId = new Map(items.map((item) => [String(item.id), item]));
  for (const [id, item] of Object.entries(changed)) {
    if (item === null) byId.delete(id);
    else byId.set(id, item);
  }
  return [...byId.values()];
}

/** Adds `pathEnding`, which deltas of earlier releases lack. */
function withPathEnding(entry: EntryState): EntryState {
  return 'pathEnding' in entry
    ? entry
    : { ...(entry as Omit<EntryState, 'pathEnding'>), pathEnding: 'inherit' };
}

function byId(a: WithId, b: WithId): number {
  return a.id - b.id;
}
