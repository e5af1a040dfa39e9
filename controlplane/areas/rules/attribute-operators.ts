import { OPERATORS, type Operator } from '../../../shared/rules/attributes.js';

/** `single`: one value; `array`: 1 to 1,000; `range`: exactly 2; `none`: no value. */
export const VALUE_TYPES = ['single', 'array', 'range', 'none'] as const;

interface OperatorTexts {
  readonly name: string;
  readonly description: string;
  readonly valueType: (typeof VALUE_TYPES)[number];
  readonly symbol: string;
}

const TEXTS: Readonly<Record<Operator, OperatorTexts>> = {
  equals: { name: 'Equals', description: 'Is exactly the value', valueType: 'single', symbol: '=' },
  not_equals: { name: 'Does not equal', description: 'Is not the value', valueType: 'single', symbol: '≠' },
  in: { name: 'Is one of', description: 'Is one of the values', valueType: 'array', symbol: '∈' },
  not_in: { name: 'Is none of', description: 'Is none of the values', valueType: 'array', symbol: '∉' },
  contains: { name: 'Contains', description: 'Has the value in it', valueType: 'single', symbol: '∋' },
  not_contains: {
    name: 'Does not contain',
    description: 'Does not have the value in it',
    valueType: 'single',
    symbol: '∌',
  },
  starts_with: {
    name: 'Starts with',
    description: 'Begins with the value',
    valueType: 'single',
    symbol: '^',
  },
  ends_with: { name: 'Ends with', description: 'Ends with the value', valueType: 'single', symbol: '$' },
  regex: {
    name: 'Matches pattern',
    description: 'Has a match of the RE2 regular expression anywhere; at most 512 characters',
    valueType: 'single',
    symbol: '~',
  },
  greater_than: { name: 'Greater than', description: 'Is above the value', valueType: 'single', symbol: '>' },
  less_than: { name: 'Less than', description: 'Is below the value', valueType: 'single', symbol: '<' },
  greater_equal: {
    name: 'Greater than or equal',
    description: 'Is the value or above',
    valueType: 'single',
    symbol: '≥',
  },
  less_equal: {
    name: 'Less than or equal',
    description: 'Is the value or below',
    valueType: 'single',
    symbol: '≤',
  },
  between: {
    name: 'Between',
    description: 'From the first to the second value, both included; hours and days may wrap around',
    valueType: 'range',
    symbol: '↔',
  },
  ip_range: {
    name: 'In IP range',
    description: 'In a network (203.0.113.0/24) or from a first to a last address (203.0.113.7-203.0.113.9)',
    valueType: 'single',
    symbol: '⊂',
  },
  exists: { name: 'Exists', description: 'Is known of the visitor', valueType: 'none', symbol: '∃' },
  not_exists: {
    name: 'Does not exist',
    description: 'Is not known of the visitor',
    valueType: 'none',
    symbol: '∄',
  },
};

/** The 17 operators as the API shows them. */
export const OPERATOR_LIST = OPERATORS.map((key) => ({ key, ...TEXTS[key] }));
