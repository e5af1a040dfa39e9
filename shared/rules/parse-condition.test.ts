import { describe, expect, it } from 'vitest';
import { ATTRIBUTES, type Attribute, OPERATORS, type Operator } from './attributes.js';
import { conditionOf } from './conditions/condition-case.fixture.js';
import { CONDITION_CASES } from './conditions/condition-cases.fixture.js';
import { parseCondition } from './parse-condition.js';

const REFUSED_PAIRS = (Object.keys(ATTRIBUTES) as Attribute[]).flatMap((attribute) => {
  const accepted: readonly Operator[] = ATTRIBUTES[attribute].operators;
  return OPERATORS.filter((operator) => !accepted.includes(operator)).map(
    (operator) => [attribute, operator] as const,
  );
});

/** Any value that the operator takes on some attribute. */
function fittingValue(operator: Operator) {
  return CONDITION_CASES.find(([, other]) => other === operator)?.[2];
}

it('has an operator to refuse for each attribute', () => {
  expect(REFUSED_PAIRS).toHaveLength(19 * 17 - CONDITION_CASES.length);
});

it.each(REFUSED_PAIRS)('refuses %s with %s, naming what fits', (attribute, operator) => {
  const result = parseCondition(conditionOf(attribute, operator, fittingValue(operator)));
  const accepted = ATTRIBUTES[attribute].operators.join(', ');
  expect(result).toMatchObject({ ok: false, path: 'operator', message: expect.stringContaining(accepted) });
});

const LIST = Array.from({ length: 1_000 }, (_, index) => `value ${index}`);
const LONG = 'x'.repeat(2_048);

interface Refused {
  readonly what: string;
  readonly input: object;
  readonly path: string;
  readonly says: string;
}

const query = (operator: string, value: unknown) => ({
  attribute: 'query_param',
  operator,
  value,
  param: 'p',
});
const on = (attribute: string, operator: string, value?: unknown) => ({ attribute, operator, value });

/** What no referrer can have for a host or domain, and what the refusal says of it. */
const NO_REFERRER_DOMAINS = [
  ['a host that is too long', `${'a.'.repeat(122)}example.com`, '"google.com"'],
  ['a public suffix', 'co.uk', 'registered below it'],
  ['a top-level domain', 'COM', 'registered below it'],
  ['a page', 'https://x.com/page', '"google.com"'],
  ['a host with a port', 'localhost:3000', '"google.com"'],
  ['a name with a user', 'ann@x.com', '"google.com"'],
  ['words', 'Google Search', '"google.com"'],
  ['an application', 'android-app://com.slack/', '"google.com"'],
] as const;

const REFUSED: readonly Refused[] = [
  ...NO_REFERRER_DOMAINS.flatMap(([what, value, says]) => [
    {
      what: `${what} for a referrer`,
      input: on('referrer_domain', 'not_equals', value),
      path: 'value',
      says,
    },
    {
      what: `${what} among the domains of referrers`,
      input: on('referrer_domain', 'in', ['x.com', value]),
      path: 'value.1',
      says,
    },
  ]),
  {
    what: 'a pattern for a referrer that does not compile',
    input: on('referrer_domain', 'regex', '('),
    path: 'value',
    says: 'pattern',
  },
  { what: 'nothing', input: {}, path: 'attribute', says: 'country, region' },
  { what: 'an unknown attribute', input: on('planet', 'equals', 'x'), path: 'attribute', says: 'ip_address' },
  { what: 'a property of objects', input: on('toString', 'equals', 'x'), path: 'attribute', says: 'country' },
  {
    what: 'an attribute that is no string',
    input: { attribute: ['country'] },
    path: 'attribute',
    says: 'country',
  },
  { what: 'no operator', input: { attribute: 'city' }, path: 'operator', says: 'city takes: equals' },
  { what: 'an unknown operator', input: on('city', 'is', 'x'), path: 'operator', says: 'ends_with' },
  { what: 'no value', input: on('city', 'equals'), path: 'value', says: 'a string of 1 to 2048' },
  { what: 'null', input: on('city', 'equals', null), path: 'value', says: 'a string' },
  {
    what: 'a list where one value goes',
    input: on('city', 'equals', ['x']),
    path: 'value',
    says: 'a string',
  },
  { what: 'an empty string', input: on('city', 'equals', ''), path: 'value', says: '1 to 2048' },
  { what: 'too long a string', input: on('city', 'contains', `${LONG}x`), path: 'value', says: '2048' },
  { what: 'a number for a name', input: on('city', 'equals', 5), path: 'value', says: 'a string' },
  {
    what: 'one value where a list goes',
    input: on('city', 'in', 'x'),
    path: 'value',
    says: 'list of 1 to 1000',
  },
  { what: 'an empty list', input: on('city', 'in', []), path: 'value', says: '1 to 1000' },
  { what: 'too long a list', input: on('city', 'not_in', [...LIST, 'x']), path: 'value', says: '1000' },
  {
    what: 'a wrong entry',
    input: on('city', 'in', ['a', 'b', 'c', true]),
    path: 'value.3',
    says: 'a string',
  },
  { what: 'a list in a list', input: on('city', 'in', ['a', ['b']]), path: 'value.1', says: 'a string' },
  { what: 'a lower-case country', input: on('country', 'equals', 'de'), path: 'value', says: 'upper-case' },
  {
    what: 'a country by three letters',
    input: on('country', 'in', ['DE', 'DEU']),
    path: 'value.1',
    says: 'two',
  },
  { what: 'hour 24', input: on('hour_of_day', 'equals', 24), path: 'value', says: '0 to 23' },
  { what: 'hour -1', input: on('hour_of_day', 'in', [0, -1]), path: 'value.1', says: '0 to 23' },
  { what: 'half an hour', input: on('hour_of_day', 'equals', 9.5), path: 'value', says: 'whole number' },
  { what: 'an hour as a word', input: on('hour_of_day', 'equals', 'noon'), path: 'value', says: '0 to 23' },
  { what: 'no hour', input: on('hour_of_day', 'equals', ''), path: 'value', says: '0 to 23' },
  { what: 'weekday 7', input: on('day_of_week', 'between', [1, '7']), path: 'value.1', says: '0 (Sunday)' },
  { what: 'between one', input: on('hour_of_day', 'between', [9]), path: 'value', says: 'exactly 2' },
  { what: 'between three', input: on('hour_of_day', 'between', [1, 2, 3]), path: 'value', says: 'exactly 2' },
  { what: 'between none', input: on('hour_of_day', 'between', 9), path: 'value', says: 'exactly 2' },
  {
    what: 'versions the wrong way',
    input: on('os_version', 'between', ['10', '9.9']),
    path: 'value',
    says: 'first',
  },
  { what: 'a name in order', input: on('os_version', 'less_than', 'XP'), path: 'value', says: '"17.1"' },
  { what: 'a version with a gap', input: on('os_version', 'less_than', '1..2'), path: 'value', says: 'dots' },
  { what: 'a version with a sign', input: on('os_version', 'less_than', -1), path: 'value', says: 'dots' },
  { what: 'numbers the wrong way', input: query('between', ['10', 9]), path: 'value', says: 'first' },
  { what: 'no number', input: query('greater_than', 'ten'), path: 'value', says: 'a number' },
  { what: 'an exponent', input: query('greater_than', '1e3'), path: 'value', says: 'a number' },
  { what: 'no digits', input: query('greater_than', ''), path: 'value', says: 'a number' },
  {
    what: 'infinity',
    input: query('greater_than', Number.POSITIVE_INFINITY),
    path: 'value',
    says: 'a number',
  },
  { what: 'too many digits', input: query('less_than', '9'.repeat(400)), path: 'value', says: 'a number' },
  { what: 'not a number', input: query('equals', Number.NaN), path: 'value', says: 'or a number' },
  { what: 'an empty part', input: query('contains', ''), path: 'value', says: '1 to 2048' },
  { what: 'a truth', input: query('equals', true), path: 'value', says: 'or a number' },
  {
    what: 'no address',
    input: on('ip_address', 'equals', '10.0.0.256'),
    path: 'value',
    says: 'IPv4 or IPv6',
  },
  {
    what: 'a CIDR in a list',
    input: on('ip_address', 'in', ['::1', '10.0.0.0/8']),
    path: 'value.1',
    says: 'IPv4',
  },
  ...[
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/',
    '2001:db8::/129',
    '10.0.0.9-10.0.0.1',
    '10.0.0.1-::1',
    '10.0.0.1-10.0.0.2-10.0.0.3',
    '-',
    '',
    5,
    ['10.0.0.1'],
    ['10.0.0.9', '10.0.0.1'],
    ['10.0.0.1', '::1'],
    ['10.0.0.1', 7],
    ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
    undefined,
  ].map((value) => ({
    what: `the range ${JSON.stringify(value)}`,
    input: on('ip_address', 'ip_range', value),
    path: 'value',
    says: 'CIDR such as',
  })),
  { what: 'no param', input: on('query_param', 'exists'), path: 'param', says: '1 to 200' },
  { what: 'an empty param', input: { ...query('exists', 1), param: '' }, path: 'param', says: '1 to 200' },
  {
    what: 'too long a param',
    input: { ...query('exists', 1), param: 'x'.repeat(201) },
    path: 'param',
    says: '200',
  },
  {
    what: 'a param that is no string',
    input: { ...query('exists', 1), param: 7 },
    path: 'param',
    says: '200',
  },
  {
    what: 'a param of something else',
    input: { ...on('city', 'exists'), param: 'p' },
    path: 'param',
    says: 'left out',
  },
  ...['Mars/Olympus', '+01:00', '', 5, null].map((timezone) => ({
    what: `the time zone ${timezone}`,
    input: { ...on('hour_of_day', 'equals', 9), timezone },
    path: 'timezone',
    says: '"Europe/Berlin"',
  })),
  {
    what: 'a time zone for something else',
    input: { ...on('city', 'exists'), timezone: 'UTC' },
    path: 'timezone',
    says: 'only hour_of_day and day_of_week',
  },
  { what: 'an empty pattern', input: on('city', 'regex', ''), path: 'value', says: '1 to 512' },
  {
    what: 'too long a pattern',
    input: on('city', 'regex', 'x'.repeat(513)),
    path: 'value',
    says: '1 to 512',
  },
  {
    what: 'an open group',
    input: on('city', 'regex', 'a(b'),
    path: 'value',
    says: 'RE2 syntax: missing closing )',
  },
  {
    what: 'a lookahead',
    input: on('city', 'regex', '(?=a)'),
    path: 'value',
    says: 'unsupported Perl syntax',
  },
  { what: 'a back reference', input: on('city', 'regex', '(a)\\1'), path: 'value', says: 'escape sequence' },
  { what: 'a huge repetition', input: on('city', 'regex', 'a{1001}'), path: 'value', says: 'repeat count' },
  {
    what: 'too large a program',
    input: on('city', 'regex', '(ab){500}'),
    path: 'value',
    says: 'expands to 2002',
  },
  { what: 'a number as a pattern', input: query('regex', 5), path: 'value', says: '1 to 512' },
];

it.each(REFUSED)('refuses $what, saying where it is and what would do', ({ input, path, says }) => {
  expect(parseCondition(input)).toMatchObject({ ok: false, path, message: expect.stringContaining(says) });
});

it('names the first of several faults', () => {
  expect(parseCondition({ attribute: 'query_param', operator: 'equals' })).toMatchObject({ path: 'value' });
});

describe('just inside the bounds', () => {
  it.each([
    { what: 'a thousand values', input: on('city', 'in', LIST) },
    { what: 'values twice in a list', input: on('city', 'in', ['a', 'a']) },
    { what: 'the longest string', input: on('city', 'equals', LONG) },
    { what: 'the longest name of a parameter', input: { ...query('equals', 'x'), param: 'p'.repeat(200) } },
    { what: 'an empty value of a parameter', input: query('equals', '') },
    { what: 'an empty value among several', input: query('not_in', ['', 'x']) },
    { what: 'a parameter as a number', input: query('contains', 5) },
    { what: 'numbers of any size', input: query('between', [-1e300, 1e300]) },
    { what: 'the same number twice', input: query('between', ['1.0', 1]) },
    { what: 'the same version twice', input: on('os_version', 'between', ['10', '10.0']) },
    { what: 'a version as a number', input: on('browser_version', 'greater_than', 120) },
    { what: 'the longest pattern', input: on('city', 'regex', 'x'.repeat(512)) },
    { what: 'the longest list of literals', input: on('city', 'regex', 'abc|'.repeat(128).slice(0, 511)) },
    { what: 'a single address as a block', input: on('ip_address', 'ip_range', '10.0.0.1/32') },
    { what: 'all addresses', input: on('ip_address', 'ip_range', '::/0') },
    { what: 'spaces around the ends of a range', input: on('ip_address', 'ip_range', '10.0.0.1 - 10.0.0.9') },
    {
      what: 'the hour of a time zone',
      input: { ...on('hour_of_day', 'equals', 9), timezone: 'Asia/Kathmandu' },
    },
    {
      what: 'the day of a time zone in any case',
      input: { ...on('day_of_week', 'in', [0, '6']), timezone: 'europe/berlin' },
    },
    { what: 'the ends of a range as a list', input: on('ip_address', 'ip_range', ['::1', '::1']) },
  ])('accepts $what, and keeps it as it is', ({ input }) => {
    expect(parseCondition(input)).toEqual({ ok: true, condition: input });
  });

  it.each(['exists', 'not_exists'])('drops a value sent with %s', (operator) => {
    expect(parseCondition({ attribute: 'city', operator, value: [{}] })).toEqual({
      ok: true,
      condition: { attribute: 'city', operator },
    });
  });
});

describe('the domain of a referrer', () => {
  it.each([
    ['https://x.com/', 'x.com'],
    ['http://WWW.Example.co.uk', 'example.co.uk'],
    ['www.google.com', 'google.com'],
    ['news.ycombinator.com', 'news.ycombinator.com'],
    ['Mail.Google.com', 'Mail.Google.com'],
    ['https://WWW.mail.google.com/', 'mail.google.com'],
    ['blog.münchen.de', 'blog.xn--mnchen-3ya.de'],
    ['www.co.uk', 'www.co.uk'],
    ['x.com.', 'x.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['[2001:DB8::1]', '2001:db8::1'],
    // As it is given.
    ['News.Example', 'News.Example'],
    ['localhost', 'localhost'],
    ['intranet', 'intranet'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['github.io', 'github.io'],
  ])('is taken from %s: %s', (given, domain) => {
    const read = (operator: string, value: unknown) => parseCondition(on('referrer_domain', operator, value));
    expect(read('equals', given)).toMatchObject({ ok: true, condition: { value: domain } });
    expect(read('not_in', ['a.example', given])).toMatchObject({
      ok: true,
      condition: { value: ['a.example', domain] },
    });
  });

  it.each(['contains', 'not_contains', 'starts_with', 'ends_with', 'regex'])(
    'may be any text for %s',
    (operator) => {
      const condition = on('referrer_domain', operator, 'www.Google.co');
      expect(parseCondition(condition)).toEqual({ ok: true, condition });
    },
  );
});
