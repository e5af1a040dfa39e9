import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DraftsApi, startDraftsApi } from '../controlplane/areas/drafts/drafts-api.fixture.js';
import type { Example } from '../controlplane/areas/examples/example-schema.js';
import type { TestUser } from '../controlplane/http/api.fixture.js';
import { readSnapshot } from '../controlplane/publishing/ruleset-reading.js';
import { createRulesetRepository } from '../controlplane/publishing/ruleset-repository.js';
import { openConnection, type RawConnection, request } from '../dataplane/http/raw-client.fixture.js';
import { openVisitorPort } from '../dataplane/http/visitor-port.fixture.js';
import { testVisitorSources } from '../dataplane/visitor/visitor-sources.fixture.js';
import { openPlaces, type Places } from '../shared/visitor/place.js';

const START_MS = Date.parse('2026-11-20T00:00:00.000Z');
const STEP_MS = 12_345_678;
const iso = (step: number) => new Date(START_MS + step * STEP_MS).toISOString();

const ADDRESSES = ['8.8.8.8', '2.16.0.1', '192.0.2.1', '2001:4860:4860::8888'];
const AGENTS = [
  '',
  'curl/8.5.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
];
const TARGETS = [
  '/',
  '/a',
  '/a/',
  '/A',
  '/caf%C3%A9?q=%C3%BC+b',
  '/a/b?q=1',
  '/a/b/c?q=2&q=1',
  '/u/ada/x?v=1',
  '/b?',
];

const condition = fc.constantFrom(
  { attribute: 'country', operator: 'in', value: ['US', 'CH'] },
  { attribute: 'country', operator: 'not_exists' },
  { attribute: 'device_type', operator: 'not_equals', value: 'desktop' },
  { attribute: 'browser_version', operator: 'less_than', value: '129' },
  { attribute: 'os_name', operator: 'equals', value: 'iOS' },
  { attribute: 'referrer_domain', operator: 'regex', value: '\\.uk$' },
  { attribute: 'referrer', operator: 'contains', value: '?' },
  { attribute: 'language', operator: 'starts_with', value: 'DE' },
  { attribute: 'url_path', operator: 'contains', value: 'é' },
  { attribute: 'url_path', operator: 'starts_with', value: '/a/' },
  { attribute: 'user_agent', operator: 'regex', value: '^curl/[0-9]' },
  { attribute: 'query_param', param: 'q', operator: 'not_in', value: ['1', 'ü b'] },
  { attribute: 'hour_of_day', operator: 'less_than', value: 9, timezone: 'Asia/Kathmandu' },
  { attribute: 'day_of_week', operator: 'in', value: [0, 5, 6] },
  { attribute: 'ip_address', operator: 'ip_range', value: '8.8.0.0/16' },
);
const sticky = fc.constantFrom('none', 'cookie', 'visitor');
const action = fc.oneof(
  fc.record({
    type: fc.constant('redirect'),
    url: fc.constantFrom('https://r.example', 'https://r.example/x?y#z'),
    pathForwarding: fc.boolean(),
    queryForwarding: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('percentage_redirect'),
    url: fc.constant('https://share.example'),
    percentage: fc.constantFrom(1, 50, 99, 100),
    sticky,
  }),
  fc.record({
    type: fc.constant('ab_test'),
    variants: fc.constant(
      ['x', 'y', 'z'].map((name, index) => ({
        name,
        percentage: [20, 30, 50][index],
        url: `https://${name}.example/${name}`,
      })),
    ),
    sticky,
  }),
);
const TYPES = { redirect: 'force', percentage_redirect: 'percentage', ab_test: 'ab_experiment' } as const;
const someRule = fc
  .record({
    conditions: fc.array(condition, { maxLength: 2 }),
    conditionLogic: fc.constantFrom('AND', 'OR'),
    action,
    status: fc.constantFrom('active', 'active', 'active', 'draft'),
    startDate: fc.constantFrom(undefined, undefined, iso(5)),
    endDate: fc.constantFrom(undefined, undefined, iso(12)),
  })
  .map((rule) => ({ ...rule, type: TYPES[rule.action.type as keyof typeof TYPES] }));

const someEntry = fc.record({
  source: fc.constantFrom('/a', '/a/b', '/a/*', '/u/:name/*', '/b', '/:any', '/*'),
  destination: fc.constantFrom('https://entry.example/p', '/relative', 'https://entry.example/{query.q}'),
  query: fc.constantFrom(null, null, { q: true }, { v: '1' }),
  statusCode: fc.constantFrom(301, 302, 307, 308),
  queryForwarding: fc.constantFrom('inherit', true, false),
});
const someTable = fc.record({
  options: fc.record({
    ignoreCase: fc.boolean(),
    ignoreTrailingSlash: fc.boolean(),
    unmatched: fc.constantFrom('destination', 'destination', 'not_found', 'gone'),
  }),
  entries: fc.uniqueArray(someEntry, { maxLength: 5, selector: ({ source }) => source }),
});

const someSettings = fc.record({
  statusCode: fc.constantFrom(301, 302, 307, 308),
  pathForwarding: fc.boolean(),
  queryForwarding: fc.boolean(),
  appendQuery: fc.constantFrom({}, {}, { q: 'appended', via: 'old' }),
  clickIdParam: fc.constantFrom(null, null, 'cid'),
  httpsMode: fc.constantFrom('both', 'both', 'upgrade'),
  startsAt: fc.constantFrom(null, null, iso(3)),
  endsAt: fc.constantFrom(null, null, iso(16)),
  afterEnd: fc.constantFrom(null, { statusCode: 410 }, { url: 'https://ended.example/over' }),
  enabled: fc.constantFrom(true, true, true, false),
});

const someFallback = fc.constantFrom(null, 'https://home.example/moved?x#y');
const PUBLIC_HTTPS_PORT = 8_443;

const someVisit = fc.record({
  target: fc.constantFrom(...TARGETS),
  isSecure: fc.constantFrom(true, true, false),
  method: fc.constantFrom('GET', 'GET', 'POST'),
  address: fc.constantFrom(...ADDRESSES),
  agent: fc.constantFrom(...AGENTS),
  referrer: fc.constantFrom('', 'https://www.shop.co.uk/x?y', 'nonsense'),
  language: fc.constantFrom('', 'en;q=0.8, de-CH', 'fr'),
  draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  /** Whether the visitor sends the cookie of the previous answer. */
  returns: fc.boolean(),
});

let area: DraftsApi;
let ada: TestUser;
let places: Places;
beforeAll(async () => {
  places = await openPlaces({ geoipDb: undefined });
  area = await startDraftsApi({ publicHttpsPort: PUBLIC_HTTPS_PORT });
  ada = await area.api.createUser();
});
afterAll(() => area.close());

/** Returns a visit and its answer as an example that expects every part of the answer. */
async function visited(
  connection: RawConnection,
  host: string,
  { target, isSecure, method, address, agent, referrer, language }: Omit<VisitOf, 'draw' | 'returns'>,
  { atMs, cookie, clickIdParam }: { atMs: number; cookie: string; clickIdParam: string | null },
): Promise<{ readonly example: Omit<Example, 'name'>; readonly setCookie: string | undefined }> {
  const headers = [
    `X-Forwarded-For: ${address}`,
    `X-Forwarded-Proto: ${isSecure ? 'https' : 'http'}`,
    `User-Agent: ${agent}`,
    `Referer: ${referrer}`,
    `Accept-Language: ${language}`,
    ...(cookie === '' ? [] : [`Cookie: ${cookie}`]),
    ...(method === 'POST' ? ['Content-Length: 0'] : []),
  ];
  connection.send(request(target, host, { method, headers }));
  const { statusCode, headers: answered } = await connection.answer();
  const location = withoutClickId(answered.location, clickIdParam);
  return {
    setCookie: answered['set-cookie']?.split(';', 1)[0],
    example: {
      request: {
        url: `${isSecure ? 'https' : 'http'}://${host}${target}`,
        method: method as 'GET',
        headers: { 'user-agent': agent, referer: referrer, 'accept-language': language, cookie },
        userAttributes: { ip_address: address },
        at: new Date(atMs).toISOString(),
      },
      expect: { statusCode, ...(location !== undefined && { location }) },
    },
  };
}
type VisitOf = typeof someVisit extends fc.Arbitrary<infer Visit> ? Visit : never;

/** Removes the click id, which is the last parameter and differs in each visit. */
function withoutClickId(location: string | undefined, name: string | null): string | undefined {
  return name === null ? location : location?.replace(new RegExp(`[?&]?${name}=[^&#]*`), '');
}

describe('an example made of what a data plane answers', () => {
  it('passes, whatever the redirect and the visit', async () => {
    let nowMs = START_MS;
    let draw = 0;
    const sources = testVisitorSources({ nowMs: () => nowMs, random: () => draw });
    const { port, table } = await openVisitorPort([], {
      trustedProxies: ['127.0.0.0/8'],
      visitorSources: { ...sources, places },
      publicHttpsPort: PUBLIC_HTTPS_PORT,
    });
    const connection = await openConnection(port);
    const repository = createRulesetRepository(area.api.database);
    const reasons = new Map<string, number>();
    const disabledStatusCodes = new Set<number>();
    const rules = fc.array(someRule, { maxLength: 4 });
    const visits = fc.array(someVisit, { minLength: 20, maxLength: 20 });

    await fc.assert(
      fc.asyncProperty(
        someSettings,
        someFallback,
        rules,
        someTable,
        visits,
        async (settings, fallback, list, paths, made) => {
          const { id, host } = await area.createRedirect(ada, settings);
          await area.ask(ada, 'PUT', '/user/fallback', { url: fallback });
          for (const [index, rule] of list.entries()) {
            await area.ask(ada, 'POST', `/redirects/${id}/rules`, { ...rule, name: `rule ${index}` });
          }
          await area.ask(ada, 'PUT', `/redirects/${id}/paths`, paths);
          table.replaceAll(await readSnapshot(repository));
          let cookie = '';
          nowMs = START_MS;
          const examples: Example[] = [];
          for (const [index, { draw: drawn, returns, ...visit }] of made.entries()) {
            nowMs += STEP_MS;
            draw = drawn;
            const circumstances = {
              atMs: nowMs,
              cookie: returns ? cookie : '',
              clickIdParam: settings.clickIdParam,
            };
            const { example, setCookie } = await visited(connection, host, visit, circumstances);
            cookie = setCookie ?? cookie;
            examples.push({ name: `visit ${index}`, ...example });
          }
          await area.ask(ada, 'PUT', `/redirects/${id}/examples`, { examples });
          const run = await area.ask(ada, 'POST', `/redirects/${id}/examples/run`);
          const failed = run.results.filter(({ status }: { status: string }) => status === 'failed');
          expect(failed, JSON.stringify({ settings, list, paths })).toEqual([]);
          for (const { received } of run.results) {
            const [{ reason, statusCode }] = received;
            if (reason === 'disabled') disabledStatusCodes.add(statusCode);
            reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
          }
          await area.ask(ada, 'DELETE', `/redirects/${id}`);
        },
      ),
      { numRuns: 30 },
    );
    expect(disabledStatusCodes).toEqual(new Set([404, 302]));
    const seen = [...reasons.keys()].sort();
    expect(seen).toEqual(
      expect.arrayContaining(['destination', 'disabled', 'ended', 'https', 'not_started', 'path', 'rule']),
    );
  });
});
