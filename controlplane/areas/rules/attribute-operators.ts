import { OPERATORS, type Operator } from '../../../shared/rules/attributes.js';

/** `single`: one value; `array`: 1 to 1,000; `range`: exactly 2; `none`: no value. */
export const VALUE_TYPES = ['single', 'array', 'range', 'none'] as const;

const texts = (
  valueType: (typeof VALUE_TYPES)[number],
  symbol: string,
  name: string,
  description: string,
) => ({ name, description, valueType, symbol });

const TEXTS: Readonly<Record<Operator, ReturnType<typeof texts>>> = {
  equals: texts('single', '=', 'Equals', 'Is exactly the value'),
  not_equals: texts('single', '≠', 'Does not equal', 'Is not the value'),
  in: texts('array', '∈', 'Is one of', 'Is one of the values'),
  not_in: texts('array', '∉', 'Is none of', 'Is none of the values'),
  contains: texts('single', '∋', 'Contains', 'Has the value in it'),
  not_contains: texts('single', '∌', 'Does not contain', 'Does not have the value in it'),
  starts_with: texts('single', '^', 'Starts with', 'Begins with the value'),
  ends_with: texts('single', '$', 'Ends with', 'Ends with the value'),
  regex: texts(
    'single',
    '~',
    'Matches pattern',
    'Has a match of the RE2 regular expression anywhere; at most 512 characters',
  ),
  greater_than: texts('single', '>', 'Greater than', 'Is above the value'),
  less_than: texts('single', '<', 'Less than', 'Is below the value'),
  greater_equal: texts('single', '≥', 'Greater than or equal', 'Is the value or above'),
  less_equal: texts('single', '≤', 'Less than or equal', 'Is the value or below'),
  between: texts(
    'range',
    '↔',
    'Between',
    'From the first to the second value, both included; hours and days may wrap around',
  ),
  ip_range: texts(
    'single',
    '⊂',
    'In IP range',
    'In a network (203.0.113.0/24) or from a first to a last address (203.0.113.7-203.0.113.9)',
  ),
  exists: texts('none', '∃', 'Exists', 'Is known of the visitor'),
  not_exists: texts('none', '∄', 'Does not exist', 'Is not known of the visitor'),
};

/** The 17 operators as the API shows them. */
export const OPERATOR_LIST = OPERATORS.map((key) => ({ key, ...TEXTS[key] }));
