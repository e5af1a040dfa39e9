import { compileCondition } from '../../../shared/rules/condition-test.js';
import {
  type AddressRange,
  addressRangeOf,
  parseAddressRange,
} from '../../../shared/rules/conditions/address-range.js';
import { isNegative } from '../../../shared/rules/conditions/operators.js';
import { compareAddresses } from '../../../shared/rules/conditions/packed-address.js';
import type { RegexAllowance } from '../../../shared/rules/regex-guard.js';
import type { RuleCondition, RuleDefinition } from '../../../shared/rules/rule-definition.js';
import type { Gap } from './gap.js';
import type { StoredVisitor } from './stored-visitor.js';

/** Result of a condition or a rule for recorded visits: `unknown` where a missing fact decides. */
export type Verdict = 'yes' | 'no' | 'unknown';

/** A verdict, with the missing fact if it is `unknown`. */
export interface Judged {
  readonly verdict: Verdict;
  readonly gap?: Gap;
}

export type JudgeCondition = (visitor: StoredVisitor) => Judged;

const YES: Judged = { verdict: 'yes' };
const NO: Judged = { verdict: 'no' };

/** Compiles a condition for visits whose facts may be missing. Returns undefined for one that never matches anybody. */
export function compileVerdict(
  condition: RuleCondition,
  allowance: RegexAllowance,
): JudgeCondition | undefined {
  const test = compileCondition(condition, allowance);
  if (test === undefined) return undefined;
  const { attribute, operator, param } = condition;
  const ranges = attribute === 'ip_address' ? rangesOf(condition) : undefined;
  return (visitor) => {
    const gap = visitor.gapOf(attribute, param);
    if (gap === undefined) return test.matches(visitor) ? YES : NO;
    if (gap.isPresent && operator === 'exists') return YES;
    if (gap.isPresent && operator === 'not_exists') return NO;
    const known = ranges && verdictOnPrefix(ranges, visitor.addressPrefix(), isNegative(operator));
    return known ?? { verdict: 'unknown', gap };
  };
}

/** A rule compiled for visits whose facts may be missing. */
export interface RuleVerdict {
  readonly conditions: readonly (JudgeCondition | undefined)[];
  judge(visitor: StoredVisitor): Judged;
}

export function compileRuleVerdict(rule: RuleDefinition, allowance: RegexAllowance): RuleVerdict {
  const conditions = rule.conditions.map((condition) => compileVerdict(condition, allowance));
  const isAnd = rule.conditionLogic === 'AND';
  const { startMs = Number.NEGATIVE_INFINITY, endMs = Number.POSITIVE_INFINITY } = rule;
  // As in real traffic, a rule that cannot be compiled never matches.
  const isBroken = conditions.includes(undefined);
  return {
    conditions,
    judge(visitor) {
      const nowMs = visitor.nowMs();
      if (isBroken || nowMs < startMs || nowMs > endMs) return NO;
      let unknown: Judged | undefined;
      for (const judge of conditions) {
        const judged = judge?.(visitor) ?? NO;
        if (judged.verdict === 'unknown') unknown ??= judged;
        else if ((judged.verdict === 'no') === isAnd) return judged;
      }
      return unknown ?? (isAnd || conditions.length === 0 ? YES : NO);
    },
  };
}

/** Addresses that a condition names. */
function rangesOf({ operator, value }: RuleCondition): readonly AddressRange[] {
  const values = (Array.isArray(value) ? value : [value]).map(String);
  const [first = '', last] = values;
  const ranges =
    operator !== 'ip_range'
      ? values.map((address) => addressRangeOf(address, address))
      : [last === undefined ? parseAddressRange(first) : addressRangeOf(first, last)];
  return ranges.filter((range) => range !== undefined);
}

/** Returns the verdict for all addresses of a stored prefix; undefined if it differs between them. */
function verdictOnPrefix(
  ranges: readonly AddressRange[],
  prefix: string,
  negative: boolean,
): Judged | undefined {
  const block = parseAddressRange(`${prefix}/${prefix.includes(':') ? 48 : 24}`);
  if (block === undefined) return undefined;
  const near = ranges.filter(
    ({ isIpv6, first, last }) =>
      isIpv6 === block.isIpv6 &&
      compareAddresses(first, block.last) <= 0 &&
      compareAddresses(last, block.first) >= 0,
  );
  if (near.length === 0) return negative ? YES : NO;
  const isInside = near.some(
    ({ first, last }) => compareAddresses(first, block.first) <= 0 && compareAddresses(last, block.last) >= 0,
  );
  if (!isInside) return undefined;
  return negative ? NO : YES;
}
