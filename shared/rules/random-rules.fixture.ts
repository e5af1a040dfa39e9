import fc from 'fast-check';
import { someConditions } from './random-conditions.fixture.js';
import type { DrawingAction, RuleAction, RuleDefinition } from './rule-definition.js';

/** Time around which rules begin and end, and at which visitors arrive. Unix time in milliseconds. */
export const AROUND_MS = 1_800_000_000_000;

/** Times before, at and after the bounds of rules. */
const someTime = fc.constantFrom(-3_600_000, -1, 0, 1, 3_600_000).map((offset) => AROUND_MS + offset);

const SPLITS = [
  [50, 50],
  [25, 75],
  [10, 20, 70],
  [33.3, 33.3, 33.4],
  [0.01, 99.99],
  [10, 10, 10, 10, 10, 10, 10, 10, 10, 10],
];
const VARIANT_NAMES = ['a', 'B', '__proto__', 'a;b=c', 'é😀', 'f', 'g', 'h', 'i', 'j'];

const url = fc.nat(999).map((number) => `https://to-${number}.example/`);
const forwarding = fc.record(
  { pathForwarding: fc.boolean(), queryForwarding: fc.boolean() },
  { requiredKeys: [] },
);
const target = fc.tuple(url, forwarding).map(([to, switches]) => ({ url: to, ...switches }));
const sticky = fc.constantFrom<Pick<DrawingAction, 'sticky'>>(
  {},
  { sticky: 'none' },
  { sticky: 'visitor' },
  { sticky: 'cookie' },
);
const percentage = fc.constantFrom(100, 50, 25, 12.5, 99.9, 0.1);

const someAction: fc.Arbitrary<RuleAction> = fc.oneof(
  target.map((to) => ({ type: 'redirect' as const, ...to })),
  fc.tuple(target, percentage, sticky).map(([to, share, remembered]) => ({
    type: 'percentage_redirect' as const,
    ...to,
    percentage: share,
    ...remembered,
  })),
  fc
    .tuple(target, fc.constantFrom(...SPLITS), sticky, forwarding)
    .map(([to, split, remembered, switches]) => ({
      type: 'ab_test' as const,
      ...switches,
      variants: split.map((share, at) => ({
        ...to,
        url: `${to.url}${at}`,
        name: VARIANT_NAMES[at]!,
        percentage: share,
      })),
      ...remembered,
    })),
);

const AND = fc.constant('AND' as const);

/** Rules that many visitors match, sometimes with a catch-all. */
const broad = {
  conditionLogic: fc.constantFrom('AND' as const, 'OR' as const),
  conditions: fc.oneof(
    { weight: 30, arbitrary: someConditions(1, 6) },
    { weight: 1, arbitrary: fc.constant([]) },
  ),
};

/** Rules that few visitors match, so that many rules of a ruleset are reached. */
const narrow = { conditionLogic: AND, conditions: someConditions(4, 8) };

function ruleFrom(kind: typeof broad | typeof narrow): fc.Arbitrary<Omit<RuleDefinition, 'id'>> {
  const bound = fc.option(someTime, { nil: undefined, freq: 4 });
  return fc
    .record({ ...kind, action: someAction, startMs: bound, endMs: bound })
    .map(({ startMs, endMs, ...rule }) => ({
      ...rule,
      ...(startMs !== undefined && { startMs }),
      ...(endMs !== undefined && { endMs }),
    }));
}

/** A prime above the number of rules: ids are distinct, and in another order than the rules. */
const IDS = 211;

function rulesFrom(kind: typeof broad | typeof narrow, maxLength: number) {
  return fc
    .array(ruleFrom(kind), { minLength: 1, maxLength, size: 'max' })
    .map((rules) => rules.map((rule, at) => ({ ...rule, id: ((at * 37) % IDS) + 1 })));
}

/** Valid rules of one redirect, mostly up to 40, sometimes up to 200. */
export const someRules: fc.Arbitrary<readonly RuleDefinition[]> = fc.oneof(
  { weight: 6, arbitrary: rulesFrom(broad, 40) },
  { weight: 4, arbitrary: rulesFrom(narrow, 70) },
  { weight: 2, arbitrary: rulesFrom(narrow, 200) },
);
