import { describe, it } from 'vitest';
import { decisionMs, expectLinear, ruleOf, text, upTo } from './decision-time.fixture.js';
import type { RuleCondition } from './rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from './visitor.fixture.js';

const VISITOR: TestVisitorTraits = {
  browserVersion: '17.4.1',
  language: 'en-US',
  referrerDomains: ['www2.news.example', 'news.example'],
  urlPath: '/a/path/that/nobody/asks/for',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36',
  address: '192.0.2.1',
  query: { q: ['7'] },
};

/** Conditions of one kind, as many different ones as wanted, none of which holds for the visitor. */
const KINDS: readonly { kind: string; condition: (at: number) => RuleCondition }[] = [
  { kind: 'path equals', condition: (at) => text('url_path', 'equals', `/p${at}`) },
  { kind: 'path starts with', condition: (at) => text('url_path', 'starts_with', `/a/path/${at}`) },
  { kind: 'agent contains', condition: (at) => text('user_agent', 'contains', `Chrome/${at + 200}`) },
  { kind: 'domain ends with', condition: (at) => text('referrer_domain', 'ends_with', `${at}.example`) },
  { kind: 'domain equals', condition: (at) => text('referrer_domain', 'equals', `${at}.news.example`) },
  {
    kind: 'domain starts with',
    condition: (at) => text('referrer_domain', 'starts_with', `news.example${at}`),
  },
  { kind: 'path regex', condition: (at) => text('url_path', 'regex', `^/[a-z]+/${at}(?:/|$)`) },
  { kind: 'language equals', condition: (at) => text('language', 'equals', `en-${at}`) },
  { kind: 'version over', condition: (at) => text('browser_version', 'greater_than', `17.4.${at + 2}`) },
  { kind: 'hour between', condition: (at) => ({ ...between(at), attribute: 'hour_of_day' }) },
  { kind: 'address equals', condition: (at) => text('ip_address', 'equals', `10.0.${at >> 8}.${at & 255}`) },
  {
    kind: 'address range',
    condition: (at) => text('ip_address', 'ip_range', `10.${at & 255}.${at >> 8}.0/24`),
  },
  {
    kind: 'parameter equals',
    condition: (at) => ({ ...text('query_param', 'equals', `v${at}`), param: 'q' }),
  },
  {
    kind: 'parameter over',
    condition: (at) => ({ ...text('query_param', 'greater_than', at + 8), param: 'q' }),
  },
  {
    kind: 'parameter exists',
    condition: (at) => ({ attribute: 'query_param', operator: 'exists', param: `p${at}` }),
  },
  {
    kind: 'path in a list',
    condition: (at) => ({ ...text('url_path', 'in'), value: upTo(20, (n) => `/l${at}-${n}`) }),
  },
];

/** Hours from 1 to 23; the visitor comes at 0. */
function between(at: number) {
  const first = (at % 23) + 1;
  return { operator: 'between', value: [first, Math.min(23, first + 2)] } as const;
}

describe('a decision takes time in proportion to the rules at most', () => {
  const boundMs = 10;

  it.each(KINDS)('1,000 rules: $kind', ({ condition }) => {
    expectLinear(1_000, boundMs, (size) => {
      const rules = [...upTo(size, (at) => ruleOf(at + 1, [condition(at)])), ruleOf(9_999, [])];
      return decisionMs(rules, 9_999, () => createTestVisitor(VISITOR));
    });
  });

  it.each(KINDS)('1,000 conditions of one rule, any of which may hold: $kind', ({ condition }) => {
    expectLinear(1_000, boundMs, (size) => {
      const rule = ruleOf(1, upTo(size, condition), { conditionLogic: 'OR' });
      return decisionMs([rule, ruleOf(2, [])], 2, () => createTestVisitor(VISITOR));
    });
  });

  it.each([
    { kind: 'not_equals', condition: (at: number) => text('url_path', 'not_equals', `/p${at}`) },
    { kind: 'not_contains', condition: (at: number) => text('user_agent', 'not_contains', `agent ${at}`) },
    { kind: 'not_in', condition: (at: number) => ({ ...text('url_path', 'not_in'), value: [`/p${at}`] }) },
    {
      kind: 'ip range',
      condition: (at: number) => text('ip_address', 'ip_range', `0.0.0.0-193.0.0.${at & 255}`),
    },
    { kind: 'version', condition: (at: number) => text('browser_version', 'less_than', `17.5.${at}`) },
  ])('1,000 conditions of one rule, all of which hold: $kind', ({ condition }) => {
    expectLinear(1_000, boundMs, (size) => {
      return decisionMs([ruleOf(1, upTo(size, condition))], 1, () => createTestVisitor(VISITOR));
    });
  });

  it('1,000 rules that are over or yet to begin', () => {
    expectLinear(1_000, boundMs, (size) => {
      const noonMs = 1_000_000;
      const dates = (at: number) =>
        at % 2 === 0 ? { startMs: noonMs + 2 + at } : { endMs: noonMs - 1 - at };
      const rules = upTo(size, (at) => ruleOf(at + 1, [], dates(at)));
      // A clock that goes to and fro over a bound, so that nothing remembered of an instant helps with the next.
      const bound = { startMs: noonMs, endMs: noonMs - 1 };
      let nowMs = noonMs;
      return decisionMs([...rules, ruleOf(size + 1, [], bound)], undefined, () => {
        nowMs = nowMs === noonMs ? noonMs - 1 : noonMs;
        return createTestVisitor({ nowMs });
      });
    });
  });

  it('200 rules with lists of 1,000 each', () => {
    expectLinear(200, boundMs, (size) => {
      const rules = upTo(size, (at) =>
        ruleOf(at + 1, [{ ...text('city', 'in'), value: upTo(1_000, (n) => `city ${at} ${n}`) }]),
      );
      return decisionMs(rules, size, () => createTestVisitor({ city: `city ${size - 1} 999` }));
    });
  });
});
