import { parseAddress } from '../../visitor/address-text.js';
import { ATTRIBUTES, type Attribute, type Operator } from '../attributes.js';
import { decimalOf } from './decimal.js';
import { isOrderOperator } from './operators.js';
import { compareVersions, isOrderedVersion } from './version.js';

const MAX_TEXT_LENGTH = 2048;
const MAX_PATTERN_LENGTH = 512;

/** The kinds of value that a condition can have. */
export interface ValueKind {
  /** Text after "must be" in messages. */
  readonly expected: string;
  accepts(value: string | number): boolean;
  /** Compares two accepted values. Absent if `between` needs no order, because it wraps around or does not exist. */
  compare?(first: string, last: string): number;
}

/**
 * Returns the kind of value that `operator` takes on `attribute`. The two must fit each other. `ip_range` is handled
 * elsewhere.
 */
export function valueKindOf(attribute: Attribute, operator: Operator): ValueKind {
  if (operator === 'regex') return PATTERN;
  switch (ATTRIBUTES[attribute].type) {
    case 'ip':
      return ADDRESS;
    case 'number':
      return attribute === 'hour_of_day' ? HOUR : WEEKDAY;
    case 'version':
      return isOrderOperator(operator) ? ORDERED_VERSION : VERSION;
    case 'string or number':
      if (isOrderOperator(operator)) return DECIMAL;
      return EQUALITY.includes(operator) ? ANY_TEXT_OR_NUMBER : TEXT_OR_NUMBER;
    case 'string':
      return attribute === 'country' ? COUNTRY : TEXT;
  }
}

const EQUALITY: readonly Operator[] = ['equals', 'not_equals', 'in', 'not_in'];

function isText(value: string | number, minLength: number, maxLength: number): boolean {
  return typeof value === 'string' && value.length >= minLength && value.length <= maxLength;
}

function isTextOrNumber(value: string | number, minLength: number): boolean {
  return typeof value === 'number' || isText(value, minLength, MAX_TEXT_LENGTH);
}

function isWholeNumber(value: string | number, max: number): boolean {
  const number = decimalOf(String(value));
  return Number.isInteger(number) && number >= 0 && number <= max;
}

const TEXT: ValueKind = {
  expected: `a string of 1 to ${MAX_TEXT_LENGTH} characters`,
  accepts: (value) => isText(value, 1, MAX_TEXT_LENGTH),
};

const TEXT_OR_NUMBER: ValueKind = {
  expected: `a string of 1 to ${MAX_TEXT_LENGTH} characters, or a number`,
  accepts: (value) => isTextOrNumber(value, 1),
};

const ANY_TEXT_OR_NUMBER: ValueKind = {
  expected: `a string of up to ${MAX_TEXT_LENGTH} characters, or a number`,
  accepts: (value) => isTextOrNumber(value, 0),
};

const PATTERN: ValueKind = {
  expected: `a pattern of 1 to ${MAX_PATTERN_LENGTH} characters in RE2 syntax`,
  accepts: (value) => isText(value, 1, MAX_PATTERN_LENGTH),
};

const COUNTRY: ValueKind = {
  expected: 'two upper-case letters (ISO 3166-1 alpha-2), such as "DE"',
  accepts: (value) => /^[A-Z]{2}$/.test(String(value)),
};

const VERSION: ValueKind = {
  expected: `a version such as "17.1" or "XP", of 1 to ${MAX_TEXT_LENGTH} characters`,
  accepts: (value) => isTextOrNumber(value, 1),
};

const ORDERED_VERSION: ValueKind = {
  expected: `a version of numbers between dots such as "17.1", of 1 to ${MAX_TEXT_LENGTH} characters`,
  accepts: (value) => isTextOrNumber(value, 1) && isOrderedVersion(String(value)),
  compare: compareVersions,
};

const DECIMAL: ValueKind = {
  expected: 'a number, such as 10 or "9.99"',
  accepts: (value) =>
    typeof value === 'number' || (value.length <= MAX_TEXT_LENGTH && !Number.isNaN(decimalOf(value))),
  compare: (first, last) => Number(first) - Number(last),
};

const HOUR: ValueKind = {
  expected: 'a whole number from 0 to 23',
  accepts: (value) => isWholeNumber(value, 23),
};

const WEEKDAY: ValueKind = {
  expected: 'a whole number from 0 (Sunday) to 6 (Saturday)',
  accepts: (value) => isWholeNumber(value, 6),
};

const ADDRESS: ValueKind = {
  expected: 'an IPv4 or IPv6 address',
  accepts: (value) => parseAddress(String(value)) !== undefined,
};
