import { ATTRIBUTES } from '../attributes.js';
import { comparableText, equalityText } from '../comparable-text.js';
import { LinearPattern } from '../regex/linear-pattern.js';
import type { RegexAllowance } from '../regex-guard.js';
import type { RuleCondition } from '../rule-definition.js';
import { textSearch } from '../text-search.js';
import { addressRangeTest } from './address-range.js';
import { decimalOf } from './decimal.js';
import { addressRangeOperand, operandEnds, operandTexts } from './operands.js';
import { isInOrder, type OrderOperator, positiveOf } from './operators.js';
import { canonicalVersion, compareVersions, orderedPartOf } from './version.js';

/** Returns whether one text of a visitor satisfies a condition. */
export type TextTest = (text: string) => boolean;

/**
 * Returns the test of `condition` without its negation. Returns undefined for a regex that does not compile.
 *
 * @param condition valid, except possibly its regex; not on a clock attribute
 * @param allowance limits the time of the regex
 */
export function textTestOf(condition: RuleCondition, allowance: RegexAllowance): TextTest | undefined {
  const [first] = operandEnds(condition);
  const part = comparableText(condition.attribute, first);
  const operator = positiveOf(condition.operator);
  switch (operator) {
    case 'exists':
      return () => true;
    case 'equals':
    case 'in':
      return membershipTest(condition);
    case 'contains':
      return containsTest(part);
    case 'starts_with':
      return condition.attribute === 'language' ? languageStartTest(first) : (text) => text.startsWith(part);
    case 'ends_with':
      return (text) => text.endsWith(part);
    case 'regex':
      return regexTest(first, allowance);
    case 'ip_range':
      return rangeTest(condition);
    default:
      return orderTest(operator, condition);
  }
}

/** Returns the maximum number of characters that the test of `condition` reads. */
export function reachOf(condition: RuleCondition): number {
  const { attribute, operator } = condition;
  if (operator === 'exists' || operator === 'not_exists') return 0;
  const looksAtOneEnd = operator === 'ends_with' || operator === 'starts_with';
  if (!looksAtOneEnd || attribute === 'language') return Number.POSITIVE_INFINITY;
  return comparableText(attribute, operandEnds(condition)[0]).length;
}

function membershipTest(condition: RuleCondition): TextTest {
  const { attribute } = condition;
  const values = operandTexts(condition);
  if (attribute === 'language') return languageTest(values);
  const members = new Set(values.map((value) => equalityText(attribute, value)));
  if (ATTRIBUTES[attribute].type === 'version') return (text) => members.has(canonicalVersion(text));
  const [only] = members;
  return members.size === 1 ? (text) => text === only : (text) => members.has(text);
}

function containsTest(part: string): TextTest {
  const search = textSearch(part);
  return (text) => search(text, 0) !== -1;
}

function regexTest(source: string, allowance: RegexAllowance): TextTest | undefined {
  const pattern = new LinearPattern(source);
  if (!allowance.prepare(pattern)) return undefined;
  return (text) => allowance.test(pattern, text);
}

function rangeTest({ value }: RuleCondition): TextTest {
  const range = addressRangeOperand(value);
  return range === undefined ? () => false : addressRangeTest(range);
}

function orderTest(operator: OrderOperator, condition: RuleCondition): TextTest {
  const [first, last] = operandEnds(condition);
  const testOf = condition.attribute === 'query_param' ? numberTest : versionTest;
  return testOf(operator, first, last);
}

/** Tests whether a text is a decimal number that satisfies `operator`. */
function numberTest(operator: OrderOperator, first: string, last: string): TextTest {
  const firstNumber = Number(first);
  const lastNumber = Number(last);
  return (text) => {
    const number = decimalOf(text);
    return isInOrder(operator, number - firstNumber, number - lastNumber);
  };
}

/** Tests whether a text begins with a version that satisfies `operator`. */
function versionTest(operator: OrderOperator, first: string, last: string): TextTest {
  return (text) => {
    const version = orderedPartOf(text);
    return (
      version !== undefined &&
      isInOrder(
        operator,
        compareVersions(version, first),
        operator === 'between' ? compareVersions(version, last) : 0,
      )
    );
  };
}

/** Tests whether a language tag or its primary subtag is one of `values`. Ignores case. */
function languageTest(values: readonly string[]): TextTest {
  const languages = new Set(values.map((value) => value.toLowerCase()));
  return (tag) => {
    const lowerCase = tag.toLowerCase();
    if (languages.has(lowerCase)) return true;
    const hyphen = lowerCase.indexOf('-');
    return hyphen !== -1 && languages.has(lowerCase.slice(0, hyphen));
  };
}

/** Tests whether a language tag begins with `start`. Ignores case. */
function languageStartTest(start: string): TextTest {
  const lowerCase = start.toLowerCase();
  return (tag) => tag.toLowerCase().startsWith(lowerCase);
}
