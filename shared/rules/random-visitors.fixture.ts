import fc from 'fast-check';
import { SINGLE_TEXTS } from './attributes.js';
import { AROUND_MS } from './random-rules.fixture.js';
import {
  ADDRESSES,
  KNOWN,
  PARAMS,
  QUERY_VALUES,
  RARE_PARAMS,
  REFERRER_DOMAINS,
} from './random-values.fixture.js';
import { methodOf, type TestVisitorTraits, type TextMethod } from './visitor.fixture.js';

/** One of the known values, or sometimes none. */
function maybe<Value>(values: readonly Value[]): fc.Arbitrary<Value | undefined> {
  return fc.constantFrom(...values, undefined);
}

const queryValues = fc.array(fc.constantFrom(...QUERY_VALUES), { maxLength: 3 });

const query = fc
  .tuple(fc.constantFrom(...RARE_PARAMS), queryValues, ...PARAMS.map(() => queryValues))
  .map(([rare, rareValues, ...lists]) =>
    Object.fromEntries([[rare, rareValues], ...PARAMS.map((param, at) => [param, lists[at] ?? []])]),
  );

/** Dice with an exact binary form, so that shares can be added in any order. */
const dice = fc.oneof(
  { weight: 9, arbitrary: fc.nat(63).map((part) => part / 64) },
  fc.constant(1 - Number.EPSILON),
);

const hourOfDay = fc.constantFrom(0, 8, 9, 10, 16, 17, 18, 23);
const dayOfWeek = fc.nat(6);
const clock = fc.record({ hourOfDay, dayOfWeek });

const visitorId = fc.nat().map((number) => number.toString(16).padStart(16, '5'));

const knownTexts = Object.fromEntries(
  SINGLE_TEXTS.map((attribute) => [methodOf(attribute), maybe(KNOWN[attribute])]),
) as Record<TextMethod, fc.Arbitrary<string | undefined>>;

export interface RandomVisitor extends TestVisitorTraits {
  /** Result of each draw. */
  readonly dice: number;
}

/** Visitors whose values often occur in rules. */
export const someVisitor: fc.Arbitrary<RandomVisitor> = fc
  .record({
    ...knownTexts,
    referrerDomains: maybe(REFERRER_DOMAINS),
    address: maybe(ADDRESSES),
    query,
    hourOfDay,
    dayOfWeek,
    clocks: fc.record({ 'europe/berlin': clock, 'asia/kathmandu': clock }),
    nowMs: fc.constantFrom(-3_600_001, -1, 0, 1, 3_600_001).map((offset) => AROUND_MS + offset),
    visitorId,
    dice,
  })
  .map((traits) => ({ ...traits, draw: () => traits.dice }));
