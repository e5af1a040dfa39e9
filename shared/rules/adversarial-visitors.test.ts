import { describe, expect, it } from 'vitest';
import { queryValues } from '../visitor/query-values.js';
import { compileRules } from './compile-rules.js';
import { decisionMs, expectLinear, ruleOf, text, upTo } from './decision-time.fixture.js';
import { createRegexGuard } from './regex-guard.js';
import type { RuleCondition } from './rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from './visitor.fixture.js';

describe('a decision takes time in proportion to what the visitor sends at most', () => {
  const KIB = 1_024;
  const LONG = 'x'.repeat(2_047);

  it.each<{ kind: string; condition: RuleCondition; traits: (length: number) => TestVisitorTraits }>([
    { kind: 'contains', condition: text('user_agent', 'contains', 'xy'), traits: agent },
    { kind: 'contains, the end fits', condition: text('user_agent', 'contains', `y${LONG}`), traits: agent },
    {
      kind: 'contains, the start fits',
      condition: text('user_agent', 'contains', `${LONG}y`),
      traits: agent,
    },
    {
      kind: 'contains, all but one character fits',
      condition: text('user_agent', 'contains', `${'x'.repeat(300)}y${'x'.repeat(1_747)}`),
      traits: agent,
    },
    { kind: 'ends_with', condition: text('user_agent', 'ends_with', `y${LONG}`), traits: agent },
    { kind: 'equals', condition: text('user_agent', 'equals', LONG), traits: agent },
    { kind: 'regex', condition: text('user_agent', 'regex', '(?:x.?)+[yz]'), traits: agent },
    {
      kind: 'referrer',
      condition: text('referrer', 'regex', '^(x|x.)*[yz]$'),
      traits: (n) => ({ referrer: 'x'.repeat(n) }),
    },
    {
      kind: 'domains of a referrer',
      condition: text('referrer_domain', 'regex', '^(x|x.)*[yz]$'),
      traits: (n) => ({ referrerDomains: Array(8).fill('x'.repeat(n / 8)) }),
    },
    {
      kind: 'language',
      condition: text('language', 'equals', 'y'),
      traits: (n) => ({ language: 'x-'.repeat(n / 2) }),
    },
    {
      kind: 'path',
      condition: text('url_path', 'starts_with', '/é'),
      traits: (n) => ({ urlPath: '/'.repeat(n) }),
    },
    {
      kind: 'version of many segments',
      condition: text('os_version', 'less_than', '1.1'),
      traits: (n) => ({ osVersion: `${'1.'.repeat(n / 2 - 1)}11` }),
    },
    {
      kind: 'version of many digits',
      condition: text('os_version', 'less_than', '1.1'),
      traits: (n) => ({ osVersion: '9'.repeat(n) }),
    },
    {
      kind: 'number of many digits',
      condition: { ...text('query_param', 'less_than', 1), param: 'q' },
      traits: (n) => ({ query: { q: ['9'.repeat(n)] } }),
    },
    {
      kind: 'no number',
      condition: { ...text('query_param', 'less_than', 1), param: 'q' },
      traits: (n) => ({ query: { q: [`${' '.repeat(n)}x`] } }),
    },
    {
      kind: 'address',
      condition: text('ip_address', 'ip_range', '10.0.0.0/8'),
      traits: (n) => ({ address: '1.'.repeat(n / 2) }),
    },
  ])('64 KiB: $kind', ({ condition, traits }) => {
    expectLinear(64 * KIB, 20, (length) => {
      const sent = traits(length);
      return decisionMs([ruleOf(1, [condition])], undefined, () => createTestVisitor(sent));
    });
  });

  const list = upTo(999, (at) => `n${at}`);

  it.each<{ kind: string; conditions: RuleCondition[] }>([
    { kind: 'any in a list', conditions: [{ ...text('query_param', 'in'), value: list }] },
    { kind: 'none in a list', conditions: [{ ...text('query_param', 'not_in'), value: [...list, 'v0'] }] },
    // Of two lists of which values may differ, one is looked up in the index and one is tested.
    {
      kind: 'any in either of two lists',
      conditions: [
        { ...text('query_param', 'in'), value: ['v0'] },
        { ...text('query_param', 'in'), value: list },
      ],
    },
    { kind: 'a number', conditions: [text('query_param', 'greater_than', 7)] },
    { kind: 'a pattern', conditions: [text('query_param', 'regex', '^[a-u]')] },
  ])('10,000 query parameters: $kind', ({ conditions }) => {
    const onParam = conditions.map((condition) => ({ ...condition, param: 'q' }));
    expectLinear(10_000, 25, (size) => {
      const query = upTo(size, (at) => `q=v${size - 1 - at}`).join('&');
      const visitor = { ...createTestVisitor(), queryValues: (param: string) => queryValues(query, param) };
      return decisionMs([ruleOf(1, onParam)], undefined, () => visitor);
    });
  });

  function agent(length: number): TestVisitorTraits {
    return { userAgent: 'x'.repeat(length) };
  }
});

describe('a path of 4 KiB', () => {
  const as = 'a'.repeat(4_095);

  it.each<{ pattern: string; path: string; found: boolean }>([
    { pattern: '^/(a+)+$', path: `/${as}!`, found: false },
    { pattern: '^/(a+)+$', path: `/${as}`, found: true },
    { pattern: '(a|a)*b', path: `/${as}`, found: false },
    { pattern: '(a|aa)+$', path: `/${as}b`, found: false },
    { pattern: '^/(.*a){12}$', path: `/${as}b`, found: false },
    { pattern: '^/(([a-z])+.)+[A-Z]([a-z])+$', path: `/${as}`, found: false },
    { pattern: '(x+x+)+y', path: `/${'x'.repeat(4_095)}`, found: false },
    { pattern: '(.*)(.*)(.*)(.*)=!', path: `/${'='.repeat(4_095)}`, found: false },
    { pattern: 'a*a*a*a*a*a*a*a*b$', path: `/${as}b`, found: true },
  ])('makes no trouble for $pattern (found: $found)', ({ pattern, path, found }) => {
    const rules = [ruleOf(1, [text('url_path', 'regex', pattern)]), ruleOf(2, [])];
    const visitor = () => createTestVisitor({ urlPath: path });
    expect(decisionMs(rules, found ? 1 : 2, visitor)).toBeLessThan(20);
  });

  /** Patterns for which even a linear engine is slow: many states are alive at each character. */
  const EXPENSIVE = [
    '([ab]{0,30}a){10}[c-e]',
    '[ab]*a[ab]{100}[c-f]',
    '(?:[ab]?){400}c',
    '([ab]*a[ab]{12}){6}c',
  ];

  it.each([1, 20])(
    'cannot make 100 requests slow by regexes that are expensive, %i rules of each',
    (copies) => {
      const guard = createRegexGuard();
      const rules = upTo(copies * EXPENSIVE.length, (at) =>
        ruleOf(at + 1, [text('url_path', 'regex', EXPENSIVE[at % EXPENSIVE.length])]),
      );
      const matcher = compileRules([...rules, ruleOf(9_999, [])], guard);
      const startMs = performance.now();
      for (let request = 0; request < 100; request++) {
        const urlPath = `/${letters(4_095, request)}`;
        expect(matcher.decide(createTestVisitor({ urlPath }))?.ruleId).toBe(9_999);
      }
      expect(performance.now() - startMs).toBeLessThan(3_000);
    },
  );

  /** Letters a and b without a pattern that a cache of states could profit from. */
  function letters(length: number, seed: number): string {
    let state = seed + 1;
    return upTo(length, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 31 === 0 ? 'a' : 'b';
    }).join('');
  }
});
