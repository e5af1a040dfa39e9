import type { RuleDefinition, RuleTarget, RuleVariant } from './rule-definition.js';
import type { TestVisitorTraits } from './visitor.fixture.js';

/** Outcome of a rule for a visitor without a cookie. */
export interface NaiveOutcome {
  readonly ruleId: number;
  /** Empty unless the rule is an A/B test. */
  readonly variant: string;
  /** Undefined for a visitor outside a percentage. */
  readonly target: RuleTarget | undefined;
  readonly setsCookie: boolean;
}

/** Returns the outcome of a rule that matches. Requires the visitor's id and dice if the rule uses them. */
export function outcomeOf({ id, action }: RuleDefinition, visitor: TestVisitorTraits): NaiveOutcome {
  if (action.type === 'redirect') {
    return { ruleId: id, variant: '', target: action, setsCookie: false };
  }
  const { visitorId = '', draw = () => Number.NaN } = visitor;
  const { type, sticky = type === 'ab_test' ? 'cookie' : 'none' } = action;
  const setsCookie = sticky === 'cookie';
  const ruleSeed = murmurHash3(String(id), 0);
  if (action.type === 'ab_test') {
    const nearness = ({ name, percentage }: RuleVariant) =>
      Math.log(diceOf(visitorId, murmurHash3(name, ruleSeed))) / percentage;
    const variant =
      sticky === 'visitor'
        ? action.variants.toSorted((one, other) => nearness(other) - nearness(one))[0]!
        : variantAt(action.variants, draw(ruleSeed) * 100);
    const { type: _type, variants: _variants, sticky: _sticky, ...switches } = action;
    return { ruleId: id, variant: variant.name, target: { ...switches, ...variant }, setsCookie };
  }
  const dice = sticky === 'visitor' ? diceOf(visitorId, ruleSeed) : draw(ruleSeed);
  return { ruleId: id, variant: '', target: dice * 100 < action.percentage ? action : undefined, setsCookie };
}

function variantAt(variants: readonly RuleVariant[], percent: number): RuleVariant {
  const [first, ...rest] = variants;
  if (percent < first!.percentage || rest.length === 0) return first!;
  return variantAt(rest, percent - first!.percentage);
}

function diceOf(visitorId: string, seed: number): number {
  return (murmurHash3(visitorId, seed) + 0.5) / 2 ** 32;
}

const MASK = 0xffff_ffffn;

function times(left: bigint, right: bigint): bigint {
  return (left * right) & MASK;
}

function rotated(number: bigint, by: bigint): bigint {
  return ((number << by) | (number >> (32n - by))) & MASK;
}

function scrambled(block: bigint): bigint {
  return times(rotated(times(block, 0xcc9e2d51n), 15n), 0x1b873593n);
}

/** MurmurHash3_x86_32 (Austin Appleby, public domain), in simple arithmetic. */
function murmurHash3(text: string, seed: number): number {
  const bytes = Buffer.from(text);
  const wholeBlocks = bytes.length - (bytes.length % 4);
  let hash = BigInt(seed >>> 0);
  for (let at = 0; at < wholeBlocks; at += 4) {
    hash ^= scrambled(BigInt(bytes.readUInt32LE(at)));
    hash = (times(rotated(hash, 13n), 5n) + 0xe6546b64n) & MASK;
  }
  const rest = bytes.subarray(wholeBlocks);
  if (rest.length > 0) hash ^= scrambled(BigInt(rest.readUIntLE(0, rest.length)));
  hash ^= BigInt(bytes.length);
  hash = times(hash ^ (hash >> 16n), 0x85ebca6bn);
  hash = times(hash ^ (hash >> 13n), 0xc2b2ae35n);
  return Number(hash ^ (hash >> 16n));
}
