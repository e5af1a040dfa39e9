import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRules } from '../../shared/rules/compile-rules.js';
import { createRegexGuard } from '../../shared/rules/regex-guard.js';
import type { RuleCondition, RuleDefinition } from '../../shared/rules/rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from '../../shared/rules/visitor.fixture.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { ruleOf, shareOf, splitOf } from '../sync/rule-definition.fixture.js';
import type { VisitorSources } from '../visitor/request-visitor.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort, VERSION } from './visitor-port.fixture.js';

const HOST = 'a.example';
const NOW_MS = Date.parse('2026-11-22T21:30:00.000Z');
const PLACES = {
  '192.0.2.1': { country: 'CH', region: 'Zurich', city: 'Winterthur' },
  '2001:db8::1': { country: 'AT', region: 'Styria', city: undefined },
};

/** A header of a request, or none, and what rules are to make of it. */
interface Part {
  readonly header?: string;
  readonly traits: TestVisitorTraits;
}

const PATHS = [
  { path: '/', urlPath: '/' },
  { path: '/caf%C3%A9', urlPath: '/caf%C3%A9' },
  { path: '/café', urlPath: '/caf%C3%A9' },
  { path: '/a#b', urlPath: '/a%23b' },
];

const ADDRESSES: readonly Part[] = [
  { traits: { address: '127.0.0.1' } },
  { header: 'X-Forwarded-For: 192.0.2.1', traits: { address: '192.0.2.1', ...PLACES['192.0.2.1'] } },
  { header: 'X-Forwarded-For: 2001:DB8::1', traits: { address: '2001:db8::1', ...PLACES['2001:db8::1'] } },
];

const AGENTS: readonly Part[] = [
  { traits: {} },
  { header: 'User-Agent: curl/8.5.0', traits: { userAgent: 'curl/8.5.0' } },
  {
    header: 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    traits: {
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
      deviceType: 'desktop',
      browserName: 'Firefox',
      browserVersion: '128.0',
      osName: 'Linux',
    },
  },
];

const REFERRERS: readonly Part[] = [
  { traits: {} },
  {
    header: 'Referer: https://www.shop.co.uk/x?y',
    traits: { referrer: 'https://www.shop.co.uk/x?y', referrerDomains: ['shop.co.uk'] },
  },
  {
    header: 'Referer: https://www.News.shop.co.uk/',
    traits: {
      referrer: 'https://www.News.shop.co.uk/',
      referrerDomains: ['news.shop.co.uk', 'shop.co.uk'],
    },
  },
];

const LANGUAGES: readonly Part[] = [
  { traits: {} },
  { header: 'Accept-Language: en;q=0.8, de-CH', traits: { language: 'de-CH' } },
  { header: 'Accept-Language: *', traits: {} },
];

const CONDITIONS: readonly RuleCondition[] = [
  { attribute: 'country', operator: 'in', value: ['CH', 'AT'] },
  { attribute: 'city', operator: 'exists' },
  { attribute: 'device_type', operator: 'not_equals', value: 'desktop' },
  { attribute: 'browser_version', operator: 'less_than', value: '129' },
  { attribute: 'referrer_domain', operator: 'regex', value: '\\.uk$' },
  { attribute: 'referrer_domain', operator: 'equals', value: 'shop.co.uk' },
  { attribute: 'referrer_domain', operator: 'not_equals', value: 'news.shop.co.uk' },
  { attribute: 'language', operator: 'starts_with', value: 'DE' },
  { attribute: 'url_path', operator: 'contains', value: 'é' },
  { attribute: 'query_param', param: 'q', operator: 'not_in', value: ['1', 'ü b'] },
  { attribute: 'hour_of_day', operator: 'greater_than', value: 12 },
  { attribute: 'ip_address', operator: 'ip_range', value: '192.0.2.0-192.0.2.255' },
];

const someRule: fc.Arbitrary<RuleDefinition> = fc
  .record({
    id: fc.integer({ min: 1, max: 9 }),
    conditions: fc.subarray([...CONDITIONS], { maxLength: 3 }),
    conditionLogic: fc.constantFrom('AND' as const, 'OR' as const),
    startMs: fc.constantFrom(NOW_MS, NOW_MS, NOW_MS + 1),
    kind: fc.constantFrom('force', 'share', 'visitor', 'cookie', 'none'),
  })
  .map(({ id, kind, ...given }) => ({ ...actingAs(kind, id), ...given }));

function actingAs(kind: string, id: number): RuleDefinition {
  if (kind === 'force') return ruleOf(id);
  if (kind === 'share') return shareOf(id, 30);
  return splitOf(id, [`x${id}`, `y${id}`, `z${id}`], kind === 'visitor' || kind === 'cookie' ? kind : 'none');
}

const someRequest = fc.record({
  parts: fc.tuple(...[ADDRESSES, AGENTS, REFERRERS, LANGUAGES].map((parts) => fc.constantFrom(...parts))),
  path: fc.constantFrom(...PATHS),
  query: fc.array(fc.tuple(fc.constantFrom('q', 'Q'), fc.constantFrom('', '1', 'ü b', '2')), {
    maxLength: 3,
  }),
  draw: fc.constantFrom(0, 0.299, 0.3, 0.5, 0.99),
  cookies: fc.constantFrom({}, { wm_1: 'in' }, { wm_1: 'out' }, { wm_1: 'made-up' }),
});

type SomeRequest = typeof someRequest extends fc.Arbitrary<infer Value> ? Value : never;

function onTheWire({ parts, path: { path }, query, cookies }: SomeRequest): string {
  const headers = parts.flatMap(({ header }) => header ?? []);
  for (const [name, value] of Object.entries(cookies)) headers.push(`Cookie: a=b; ${name}=${value}`);
  const target = Buffer.from(`${path}?${new URLSearchParams(query)}`).toString('latin1');
  return request(target, HOST, { headers });
}

function knownVisitor(
  { parts, path: { urlPath }, query, cookies, draw }: SomeRequest,
  sources: VisitorSources,
) {
  const traits: TestVisitorTraits = Object.assign({}, ...parts.map((part) => part.traits));
  return createTestVisitor({
    ...traits,
    urlPath,
    query: { q: query.filter(([name]) => name === 'q').map(([, value]) => value) },
    cookies,
    nowMs: NOW_MS,
    hourOfDay: 21,
    dayOfWeek: 0,
    visitorId: sources.identify(traits.address ?? '', traits.userAgent ?? ''),
    draw: () => draw,
  });
}

describe('a decision', () => {
  it('is the same for a request on the wire as for a visitor who is known to be so', async () => {
    let draw = 0;
    const visitorSources = testVisitorSources({ places: PLACES, nowMs: () => NOW_MS, random: () => draw });
    const { port, table } = await openVisitorPort([], { trustedProxies: ['127.0.0.0/8'], visitorSources });
    const connection = await openConnection(port);
    const ask = async (sent: SomeRequest) => {
      draw = sent.draw;
      connection.send(onTheWire(sent));
      return (await connection.answer()).headers;
    };
    let matches = 0;

    const rulesets = fc.uniqueArray(someRule, { selector: ({ id }) => id, maxLength: 8 });
    const requests = fc.array(someRequest, { minLength: 5, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(rulesets, requests, async (rules, sentRequests) => {
        table.replaceAll({ version: VERSION, redirects: [redirectOf(HOST, { rules })] });
        const matcher = compileRules(rules, createRegexGuard());
        for (const sent of sentRequests) {
          const outcome = matcher.decide(knownVisitor(sent, visitorSources));
          const headers = await ask(sent);
          expect(headers.location).toBe(outcome?.target?.url ?? 'https://destination.example');
          expect(headers['set-cookie']).toBe(outcome?.setCookie);
          if (outcome !== undefined) matches += 1;
        }
      }),
    );
    expect(matches).toBeGreaterThan(100);
  });
});
