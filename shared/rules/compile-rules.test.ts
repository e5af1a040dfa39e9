import { describe, expect, it } from 'vitest';
import { compileRules } from './compile-rules.js';
import { createRegexGuard } from './regex-guard.js';
import { ruleOf, rulesOf } from './rule.fixture.js';
import type { RuleCondition, RuleDefinition } from './rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from './visitor.fixture.js';

const compile = (rules: readonly RuleDefinition[]) =>
  compileRules(rules, createRegexGuard({ nowMs: () => 0 }));

/** Id of the rule that decides for a visitor. */
function decideOnce(rules: readonly RuleDefinition[], traits: TestVisitorTraits = {}): number | undefined {
  return compile(rules).decide(createTestVisitor(traits))?.ruleId;
}

const germany: RuleCondition = { attribute: 'country', operator: 'equals', value: 'DE' };
const france: RuleCondition = { attribute: 'country', operator: 'equals', value: 'FR' };
const mobile: RuleCondition = { attribute: 'device_type', operator: 'equals', value: 'mobile' };
const notMobile: RuleCondition = { attribute: 'device_type', operator: 'not_equals', value: 'mobile' };
const shop: RuleCondition = { attribute: 'url_path', operator: 'contains', value: 'shop' };
const news: RuleCondition = { attribute: 'url_path', operator: 'starts_with', value: '/news' };
const query = (operator: RuleCondition['operator'], value: string): RuleCondition => ({
  attribute: 'query_param',
  operator,
  value,
  param: 'q',
});

describe('of several rules', () => {
  it('no rule decides if there are none', () => {
    const matcher = compile([]);
    expect(matcher.decide(createTestVisitor())).toBeUndefined();
    expect(matcher.outcomes).toEqual([]);
  });

  it.each([
    { traits: { country: 'DE', deviceType: 'mobile' }, rule: 1 },
    { traits: { country: 'DE', deviceType: 'desktop' }, rule: 2 },
    { traits: { country: 'DE' }, rule: 2 },
    { traits: { country: 'FR', urlPath: '/shop' }, rule: 3 },
    { traits: { country: 'FR', urlPath: '/' }, rule: undefined },
    { traits: {}, rule: undefined },
  ])('the first that matches $traits decides: $rule', ({ traits, rule }) => {
    const rules = rulesOf([[germany, mobile], [germany], [france, shop], [shop, germany]]);
    expect(decideOnce(rules, traits)).toBe(rule);
  });

  it('those after one without conditions never decide', () => {
    expect(decideOnce(rulesOf([[germany], [], [france], []]), { country: 'FR' })).toBe(2);
  });

  it('the first of two equal ones decides', () => {
    expect(
      decideOnce(rulesOf([[france], [germany, shop], [germany, shop]]), { country: 'DE', urlPath: '/shop' }),
    ).toBe(2);
  });

  it('every outcome is in the list once, at its index', () => {
    const percentage = {
      type: 'percentage_redirect',
      url: 'https://p.example',
      percentage: 5,
      sticky: 'cookie',
    } as const;
    const matcher = compile([ruleOf(9), ruleOf(3, [], { action: percentage }), ruleOf(7)]);
    expect(matcher.outcomes.map(({ index, ruleId }) => [index, ruleId])).toEqual([
      [0, 9],
      [1, 3],
      [2, 3],
      [3, 7],
    ]);
  });

  it('one that cannot be compiled never matches, with any other conditions', () => {
    const broken: RuleCondition = { attribute: 'ip_address', operator: 'ip_range', value: 'nonsense' };
    const unordered: RuleCondition = { attribute: 'country', operator: 'greater_than', value: 'DE' };
    for (const fault of [broken, unordered]) {
      for (const conditionLogic of ['AND', 'OR'] as const) {
        const rules = [ruleOf(1, [germany, fault], { conditionLogic }), ruleOf(2)];
        expect(decideOnce(rules, { country: 'DE' })).toBe(2);
      }
    }
  });
});

describe('conditions joined by OR', () => {
  it.each([
    {
      name: 'lookups of one attribute',
      conditions: [germany, france],
      matching: [{ country: 'DE' }, { country: 'FR' }],
    },
    {
      name: 'lookups of two',
      conditions: [germany, mobile],
      matching: [{ country: 'DE' }, { deviceType: 'mobile' }],
    },
    { name: 'tests', conditions: [shop, news], matching: [{ urlPath: '/shop' }, { urlPath: '/news' }] },
    { name: 'both', conditions: [shop, germany], matching: [{ urlPath: '/shop' }, { country: 'DE' }] },
    {
      name: 'several values of a parameter',
      conditions: [query('equals', 'a'), query('equals', 'b')],
      matching: [{ query: { q: ['a'] } }, { query: { q: ['x', 'b'] } }],
    },
  ])('need one of them: $name', ({ conditions, matching }) => {
    const rules = rulesOf([conditions], 'OR');
    for (const traits of matching) expect(decideOnce(rules, traits)).toBe(1);
    expect(
      decideOnce(rules, { country: 'IT', deviceType: 'desktop', urlPath: '/', query: { q: ['x'] } }),
    ).toBeUndefined();
    expect(decideOnce(rules)).toBeUndefined();
  });

  it('of which one is negative match who has no such attribute', () => {
    const rules = rulesOf([[germany, notMobile]], 'OR');
    expect(decideOnce(rules, { country: 'FR' })).toBe(1);
    expect(decideOnce(rules, { country: 'FR', deviceType: 'mobile' })).toBeUndefined();
  });

  it('let a rule decide once, though several of them hold', () => {
    const rules = rulesOf([[germany, mobile, shop]], 'OR');
    expect(decideOnce(rules, { country: 'DE', deviceType: 'mobile', urlPath: '/shop' })).toBe(1);
  });
});

describe('a parameter with several values', () => {
  it.each([
    { conditions: [query('equals', 'a'), query('equals', 'b')], values: ['a', 'b'], matches: true },
    { conditions: [query('equals', 'a'), query('equals', 'b')], values: ['a'], matches: false },
    { conditions: [query('equals', 'a'), query('not_equals', 'b')], values: ['a', 'b'], matches: false },
    { conditions: [query('equals', 'a'), query('not_equals', 'b')], values: ['x', 'a'], matches: true },
    { conditions: [query('not_equals', 'a'), query('not_equals', 'b')], values: ['x', 'y'], matches: true },
    { conditions: [query('not_equals', 'a'), query('not_equals', 'b')], values: ['x', 'b'], matches: false },
    { conditions: [query('not_equals', 'a'), query('not_equals', 'b')], values: [], matches: true },
    { conditions: [query('equals', '')], values: ['', 'x'], matches: true },
  ])('of $values satisfies all of $conditions: $matches', ({ conditions, values, matches }) => {
    expect(decideOnce(rulesOf([conditions]), { query: { q: values } })).toBe(matches ? 1 : undefined);
  });

  it('can satisfy any of many rules with any of its values', () => {
    const rules = rulesOf(Array.from({ length: 500 }, (_, index) => [query('equals', `value-${index}`)]));
    const values = ['unknown', 'value-400', 'other', 'value-37', 'value-499'];
    expect(decideOnce(rules, { query: { q: values } })).toBe(38);
  });
});

it.each([
  { language: 'de', rule: 1 },
  { language: 'DE-at', rule: 1 },
  { language: 'pt-BR', rule: 2 },
  { language: 'pt-PT', rule: 3 },
  { language: 'en', rule: undefined },
  { language: undefined, rule: 4 },
])('a language is looked up as a whole and by its primary subtag: $language', ({ language, rule }) => {
  const rules = rulesOf([
    [{ attribute: 'language', operator: 'equals', value: 'de' }],
    [{ attribute: 'language', operator: 'in', value: ['pt-br', 'fr'] }],
    [{ attribute: 'language', operator: 'equals', value: 'PT' }],
    [{ attribute: 'language', operator: 'not_in', value: ['en', 'xx'] }],
  ]);
  expect(decideOnce(rules, { language })).toBe(rule);
});

describe('a referrer', () => {
  const domain = (operator: RuleCondition['operator'], value: string | string[]): RuleCondition => ({
    attribute: 'referrer_domain',
    operator,
    value,
  });
  const NEWS = ['news.example.com', 'example.com'];

  it.each([
    { referrerDomains: ['a.news.example.com', ...NEWS], rule: 1 },
    { referrerDomains: NEWS, rule: 1 },
    { referrerDomains: ['example.com'], rule: 2 },
    { referrerDomains: ['mail.example.com', 'example.com'], rule: 2 },
    { referrerDomains: ['example.org'], rule: 3 },
    { referrerDomains: ['shop.other.example', 'other.example'], rule: undefined },
    { referrerDomains: [], rule: 3 },
  ])('is looked up by its host and each domain above it: $referrerDomains', ({ referrerDomains, rule }) => {
    const rules = rulesOf([
      [domain('equals', 'News.example.com')],
      [domain('in', ['example.com', 'example.net'])],
      [domain('not_in', ['example.com', 'other.example'])],
    ]);
    expect(decideOnce(rules, { referrerDomains })).toBe(rule);
  });

  it.each([
    { conditions: [domain('equals', 'news.example.com'), domain('equals', 'example.com')], matches: true },
    {
      conditions: [domain('equals', 'example.com'), domain('not_equals', 'mail.example.com')],
      matches: true,
    },
    {
      conditions: [domain('equals', 'example.com'), domain('not_equals', 'news.example.com')],
      matches: false,
    },
    { conditions: [domain('starts_with', 'News.'), domain('starts_with', 'example.c')], matches: true },
    { conditions: [domain('starts_with', 'news.'), domain('starts_with', 'ample')], matches: false },
  ])('below a domain satisfies all of $conditions: $matches', ({ conditions, matches }) => {
    expect(decideOnce(rulesOf([conditions]), { referrerDomains: NEWS })).toBe(matches ? 1 : undefined);
  });

  it('can satisfy any of many rules with any beginning of a domain of it', () => {
    const rules = rulesOf(Array.from({ length: 500 }, (_, index) => [domain('starts_with', `d${index}.`)]));
    expect(decideOnce(rules, { referrerDomains: ['d400.d37.example', 'd37.example'] })).toBe(38);
    expect(decideOnce(rules, {})).toBeUndefined();
  });
});

describe('starts of a path', () => {
  const startsWith = (value: string): RuleCondition => ({
    attribute: 'url_path',
    operator: 'starts_with',
    value,
  });

  it.each([
    { urlPath: '/shop/shoes/7', rule: 1 },
    { urlPath: '/shop/hats', rule: 2 },
    { urlPath: '/shop/', rule: 2 },
    { urlPath: '/shop', rule: 4 },
    { urlPath: '/caf%C3%A9/menu', rule: 3 },
    { urlPath: '/', rule: 4 },
    { urlPath: undefined, rule: undefined },
  ])('are told apart though one begins with another: $urlPath', ({ urlPath, rule }) => {
    const rules = rulesOf([
      [startsWith('/shop/'), startsWith('/shop/shoes/')],
      [startsWith('/shop/')],
      [startsWith('/café/')],
      [startsWith('/')],
    ]);
    expect(decideOnce(rules, { urlPath })).toBe(rule);
  });

  it('are distinguished even if many begin with another one', () => {
    const paths = Array.from({ length: 100 }, (_, index) => `/${'a'.repeat(100 - index)}`);
    const rules = rulesOf(paths.map((path) => [startsWith(path)]));
    for (const [index, path] of paths.entries())
      expect(decideOnce(rules, { urlPath: `${path}/b` })).toBe(index + 1);
  });

  it('can be joined by OR with a path as a whole', () => {
    const whole: RuleCondition = { attribute: 'url_path', operator: 'equals', value: '/exact' };
    const rules = rulesOf([[startsWith('/shop/'), startsWith('/news/'), whole]], 'OR');
    for (const urlPath of ['/shop/1', '/news/1', '/exact']) expect(decideOnce(rules, { urlPath })).toBe(1);
    for (const urlPath of ['/shop', '/exact/', '/']) expect(decideOnce(rules, { urlPath })).toBeUndefined();
  });
});

describe('dates', () => {
  const rules = [
    ruleOf(1, [germany], { startMs: 100, endMs: 200 }),
    ruleOf(2, [], { startMs: 150 }),
    ruleOf(3, [], { endMs: 120 }),
  ];

  it.each([
    { nowMs: 0, rule: 3 },
    { nowMs: 99, rule: 3 },
    { nowMs: 100, rule: 1 },
    { nowMs: 200, rule: 1 },
    { nowMs: 201, rule: 2 },
  ])('are kept, both ends included: at $nowMs rule $rule', ({ nowMs, rule }) => {
    expect(decideOnce(rules, { country: 'DE', nowMs })).toBe(rule);
  });

  it('are kept by one matcher as time goes on, and when the clock is set back', () => {
    const matcher = compile(rules);
    const at = (nowMs: number) => matcher.decide(createTestVisitor({ country: 'FR', nowMs }))?.ruleId;
    const times = [0, 120, 121, 149, 150, 10_000, 120, 149, 121, 151];
    expect(times.map(at)).toEqual([3, 3, undefined, undefined, 2, 2, 3, undefined, undefined, 2]);
  });
});

describe('memory of one decision', () => {
  it('does not reach into the next', () => {
    const matcher = compile(rulesOf([[shop, germany], [shop], [germany], [query('equals', 'a')]]));
    const visitors: readonly (readonly [TestVisitorTraits, number | undefined])[] = [
      [{ urlPath: '/shop', country: 'DE' }, 1],
      [{ urlPath: '/' }, undefined],
      [{ urlPath: '/shop' }, 2],
      [{ query: { q: ['x', 'a'] } }, 4],
      [{ country: 'DE', urlPath: '/' }, 3],
      [{ query: { q: ['x', 'y'] } }, undefined],
    ];
    for (const [traits, rule] of [...visitors, ...visitors.toReversed(), ...visitors]) {
      expect(matcher.decide(createTestVisitor(traits))?.ruleId).toBe(rule);
    }
  });
});

describe('a rule', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => index);

  it('can have a thousand tests joined by AND', () => {
    const rules = rulesOf([
      many.map((index) => ({ attribute: 'url_path', operator: 'not_contains', value: `/${index}/` })),
    ]);
    expect(decideOnce(rules, { urlPath: '/1000/' })).toBe(1);
    expect(decideOnce(rules, { urlPath: '/777/' })).toBeUndefined();
  });

  it.each<{ attribute: 'city' | 'url_path'; operator: 'equals' | 'starts_with' }>([
    { attribute: 'city', operator: 'equals' },
    { attribute: 'url_path', operator: 'equals' },
    { attribute: 'url_path', operator: 'starts_with' },
  ])('can have a thousand conditions joined by OR: $attribute $operator', ({ attribute, operator }) => {
    const rules = rulesOf([many.map((index) => ({ attribute, operator, value: `/${index}/` }))], 'OR');
    const having = (text: string) => (attribute === 'city' ? { city: text } : { urlPath: text });
    expect(decideOnce(rules, having('/999/'))).toBe(1);
    expect(decideOnce(rules, having('/1000/'))).toBeUndefined();
  });

  it('can look at a thousand parameters', () => {
    const conditions = many.map((index) => ({ ...query('equals', 'yes'), param: `p${index}` }));
    const last = { query: { p999: ['yes'] } };
    expect(decideOnce(rulesOf([conditions], 'OR'), last)).toBe(1);
    expect(decideOnce(rulesOf([conditions]), last)).toBeUndefined();
    expect(decideOnce(rulesOf(conditions.map((one) => [one])), last)).toBe(1_000);
    const all = { query: Object.fromEntries(many.map((index) => [`p${index}`, ['yes']])) };
    expect(decideOnce(rulesOf([conditions]), all)).toBe(1);
  });
});

it('of ten thousand rules for a path each, that of the path decides', () => {
  const paths = Array.from({ length: 10_000 }, (_, index) => `/page/${index}`);
  const matcher = compile(
    rulesOf(paths.map((value) => [{ attribute: 'url_path', operator: 'equals', value }])),
  );
  for (const [index, urlPath] of paths.entries()) {
    expect(matcher.decide(createTestVisitor({ urlPath }))?.ruleId).toBe(index + 1);
  }
  expect(matcher.decide(createTestVisitor({ urlPath: '/page/10000' }))).toBeUndefined();
  expect(matcher.decide(createTestVisitor())).toBeUndefined();
});
