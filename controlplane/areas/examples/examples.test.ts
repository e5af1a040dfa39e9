import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer, TestUser } from '../../http/api.fixture.js';
import { type DraftsApi, startDraftsApi } from '../drafts/drafts-api.fixture.js';
import type { Example } from './example-schema.js';

let area: DraftsApi;
let ada: TestUser;
beforeAll(async () => {
  area = await startDraftsApi();
  ada = await area.api.createUser();
});
afterAll(() => area.close());

const call = (method: string, path: string, body?: unknown, headers = {}): Promise<ApiAnswer> =>
  area.api.call(method, path, { token: ada.token, headers, ...(body !== undefined && { body }) });
const ask = (method: string, path: string, body?: unknown) => area.ask(ada, method, path, body);
const put = (id: string, examples: readonly unknown[], headers = {}) =>
  call('PUT', `/redirects/${id}/examples`, { examples }, headers);
const run = (id: string, body?: unknown) => ask('POST', `/redirects/${id}/examples/run`, body);

const force = (name: string, more: object = {}) => ({
  name,
  type: 'force',
  action: { type: 'redirect', url: `https://${name}.example` },
  status: 'active',
  ...more,
});
const example = (host: string, expected: object, request: object = {}, name = 'one') => ({
  name,
  request: { url: `https://${host}/`, ...request },
  expect: expected,
});

describe('the examples of a redirect', () => {
  it('are replaced as a whole, with a version of their own', async () => {
    const { id, host } = await area.createRedirect(ada);
    const empty = await call('GET', `/redirects/${id}/examples`);
    expect(empty.json).toEqual({ data: [] });
    const before = await call('GET', `/redirects/${id}`);
    const examples: Example[] = [
      example(
        host,
        { statusCode: 302, location: 'https://a.example', ruleName: 'a' },
        {
          method: 'HEAD',
          headers: {
            'user-agent': 'curl/8',
            'accept-language': 'de',
            referer: 'https://r.example',
            cookie: 'a=b',
          },
          userAttributes: { country: 'DE', ip_address: '192.0.2.1' },
          at: '2026-01-31T08:00:00Z',
          visitorId: 'v1',
        },
      ),
      example(host, { noMatch: true }, {}, 'two'),
    ];
    const written = await put(id, examples, { 'if-match': empty.headers.etag ?? '' });
    expect([written.status, written.json]).toEqual([200, { data: examples }]);
    const read = await call('GET', `/redirects/${id}/examples`);
    expect(read.json).toEqual({ data: examples });
    expect(read.headers.etag).toBe(written.headers.etag);
    const unchanged = await call('GET', `/redirects/${id}/examples`, undefined, {
      'if-none-match': read.headers.etag,
    });
    expect(unchanged.status).toBe(304);
    expect((await put(id, [], { 'if-match': empty.headers.etag ?? '' })).status).toBe(412);
    expect((await put(id, [], { 'if-match': before.headers.etag ?? '' })).status).toBe(412);
    // They are not part of the redirect.
    expect((await call('GET', `/redirects/${id}`)).headers.etag).toBe(before.headers.etag);
  });

  it.each<[string, unknown, string]>([
    ['another host', { request: { url: 'https://other.example/' } }, 'examples.1.request.url'],
    ['a path alone', { request: { url: '/a' } }, 'examples.1.request.url'],
    ['another scheme', { request: { url: 'ftp://HOST/' } }, 'examples.1.request.url'],
    ['a user in the URL', { request: { url: 'https://me@HOST/' } }, 'examples.1.request.url'],
    [
      'an unknown header',
      { request: { url: 'https://HOST/', headers: { dnt: '1' } } },
      'examples.1.request.headers.dnt',
    ],
    [
      'an attribute that the URL has',
      { request: { url: 'https://HOST/', userAttributes: { url_path: '/' } } },
      'examples.1.request.userAttributes.url_path',
    ],
    [
      'no address',
      { request: { url: 'https://HOST/', userAttributes: { ip_address: 'x' } } },
      'examples.1.request.userAttributes.ip_address',
    ],
    ['an unreadable time', { request: { url: 'https://HOST/', at: 'soon' } }, 'examples.1.request.at'],
    ['no expectation', { expect: {} }, 'examples.1.expect'],
    ['an unknown expectation', { expect: { body: 'x' } }, 'examples.1.expect.body'],
    ['a rule and none', { expect: { ruleName: 'a', noMatch: true } }, 'examples.1.expect.noMatch'],
    ['a match that is expected by noMatch', { expect: { noMatch: false } }, 'examples.1.expect.noMatch'],
    ['a repeated name', { name: 'first' }, 'examples.1.name'],
    ['no name', { name: '' }, 'examples.1.name'],
  ])('are refused with %s', async (_what, given, field) => {
    const { id, host } = await area.createRedirect(ada);
    const good = example(host, { statusCode: 301 }, {}, 'first');
    const bad = JSON.parse(
      JSON.stringify({ ...good, name: 'second', ...(given as object) }).replaceAll('HOST', host),
    );
    const { status, json } = await put(id, [good, bad]);
    expect([status, json.error.code, json.error.field]).toEqual([422, 'VALIDATION_ERROR', field]);
    expect((await ask('GET', `/redirects/${id}/examples`)).data).toEqual([]);
  });

  it('are at most 1,000, and 1 MiB', async () => {
    const { id, host } = await area.createRedirect(ada);
    const many = (count: number, path = '') =>
      Array.from({ length: count }, (_, index) =>
        example(host, { statusCode: 301 }, { url: `https://${host}/${path}` }, `n${index}`),
      );
    expect((await put(id, many(1_000))).status).toBe(200);
    expect((await put(id, many(1_001))).json.error).toMatchObject({ field: 'examples' });
    expect((await put(id, many(200, 'x'.repeat(6_000)))).status).toBe(413);
  });

  it('are in the audit log, and in no version', async () => {
    const { id, host } = await area.createRedirect(ada);
    await put(id, [example(host, { statusCode: 301 })]);
    const rows = await area.api.database.query<{ action: string; summary: string; resource_type: string }>(
      `SELECT action, summary, resource_type FROM audit_log WHERE resource_id = $1 ORDER BY id DESC LIMIT 1`,
      [id],
    );
    expect(rows).toEqual([
      {
        action: 'examples.replaced',
        summary: 'Replaced the examples: 0 before, 1 now',
        resource_type: 'redirect',
      },
    ]);
  });

  it('go with their redirect, and come back with it', async () => {
    const { id, host } = await area.createRedirect(ada);
    await put(id, [example(host, { statusCode: 301 })]);
    await ask('DELETE', `/redirects/${id}`);
    expect((await call('GET', `/redirects/${id}/examples`)).status).toBe(404);
    await ask('POST', `/redirects/${id}/restore`);
    expect((await ask('GET', `/redirects/${id}/examples`)).data).toHaveLength(1);
    await ask('DELETE', `/redirects/${id}`);
    await area.api.database.query('DELETE FROM redirects WHERE id = $1', [id]);
    expect(
      await area.api.database.query('SELECT FROM redirect_examples WHERE redirect_id = $1', [id]),
    ).toEqual([]);
  });
});

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const split = (name: string, more: object = {}) => ({
  name,
  type: 'ab_experiment',
  action: {
    type: 'ab_test',
    variants: ['x', 'y'].map((variant) => ({
      name: variant,
      percentage: 50,
      url: `https://${variant}.example`,
    })),
    ...more,
  },
  status: 'active',
});
const share = (name: string, more: object = {}) => ({
  name,
  type: 'percentage',
  action: { type: 'percentage_redirect', url: `https://${name}.example`, percentage: 10, ...more },
  status: 'active',
});

interface Subject {
  readonly settings?: object;
  readonly rules?: readonly object[];
  readonly paths?: object;
}
/** A visit, as members of the request; `url` without scheme and host. */
type Case = [what: string, subject: Subject, request: object, received: object | object[]];

const condition = (attribute: string, operator: string, value: unknown, more: object = {}) => ({
  conditions: [{ attribute, operator, value, ...more }],
});
const answer = (statusCode: number, location: string | null, reason: string, more: object = {}) => ({
  statusCode,
  location,
  reason,
  ruleId: null,
  ruleName: null,
  variant: null,
  source: null,
  ...more,
});
const byRule = (name: string, statusCode = 301) =>
  answer(statusCode, `https://${name}.example`, 'rule', { ruleId: expect.any(Number), ruleName: name });
const variant = (name: string) =>
  answer(302, `https://${name}.example`, 'rule', {
    ruleId: expect.any(Number),
    ruleName: 'ab',
    variant: name,
  });
const DEFAULT = answer(301, 'https://default.example', 'destination');

const CASES: readonly Case[] = [
  ['a plain redirect', {}, {}, DEFAULT],
  ['HEAD', {}, { method: 'HEAD' }, DEFAULT],
  ['POST', {}, { method: 'POST' }, DEFAULT],
  ['TRACE', {}, { method: 'TRACE' }, answer(405, null, 'method')],
  ['a status that keeps the method', { settings: { statusCode: 308 } }, {}, { ...DEFAULT, statusCode: 308 }],
  [
    'path and query that are forwarded',
    { settings: { pathForwarding: true, queryForwarding: true } },
    { url: 'https://HOST/a%20b/é?q=1' },
    answer(301, 'https://default.example/a%20b/%C3%A9?q=1', 'destination'),
  ],
  [
    'a query that is appended',
    { settings: { appendQuery: { via: 'old' } } },
    {},
    answer(301, 'https://default.example?via=old', 'destination'),
  ],
  ['click ids, which are left out', { settings: { clickIdParam: 'cid' } }, {}, DEFAULT],
  ['a disabled redirect', { settings: { enabled: false } }, {}, answer(404, null, 'disabled')],
  [
    'a redirect before its start',
    { settings: { startsAt: '2026-06-01T00:00:00Z' } },
    { at: '2026-05-31T23:59:59Z' },
    answer(404, null, 'not_started'),
  ],
  [
    'a redirect at its start',
    { settings: { startsAt: '2026-06-01T00:00:00Z' } },
    { at: '2026-06-01T00:00:00Z' },
    DEFAULT,
  ],
  [
    'a redirect before its end',
    { settings: { endsAt: '2026-06-01T00:00:00Z' } },
    { at: '2026-05-31T23:59:59Z' },
    DEFAULT,
  ],
  [
    'a redirect after its end',
    { settings: { endsAt: '2026-06-01T00:00:00Z' } },
    { at: '2026-06-01T00:00:01Z' },
    answer(404, null, 'ended'),
  ],
  [
    'a redirect that is gone after its end',
    { settings: { endsAt: '2026-06-01T00:00:00Z', afterEnd: { statusCode: 410 } } },
    { at: '2026-07-01' },
    answer(410, null, 'ended'),
  ],
  [
    'a redirect that leads elsewhere after its end',
    {
      settings: { endsAt: '2026-06-01T00:00:00Z', afterEnd: { url: 'https://over.example' } },
      rules: [force('rule')],
    },
    { at: '2026-07-01' },
    answer(302, 'https://over.example', 'ended'),
  ],
  [
    'plain HTTP that is upgraded',
    { settings: { httpsMode: 'upgrade' }, rules: [force('rule')] },
    { url: 'http://HOST/a?b' },
    answer(308, 'https://HOST/a?b', 'https'),
  ],
  ['HTTPS that is upgraded to', { settings: { httpsMode: 'upgrade' } }, {}, DEFAULT],
  ['HTTPS that is off', { settings: { httpsMode: 'off' } }, {}, answer(421, null, 'https')],
  ['plain HTTP alone', { settings: { httpsMode: 'off' } }, { url: 'http://HOST/' }, DEFAULT],
  ['a rule', { rules: [force('rule')] }, {}, byRule('rule')],
  ['a rule that is a draft', { rules: [force('rule', { status: 'draft' })] }, {}, DEFAULT],
  [
    'a rule before its start',
    { rules: [force('rule', { startDate: '2026-06-01' })] },
    { at: '2026-05-31' },
    DEFAULT,
  ],
  [
    'a rule on its last day',
    { rules: [force('rule', { endDate: '2026-06-01' })] },
    { at: '2026-06-01T23:59:59Z' },
    byRule('rule'),
  ],
  [
    'a rule on the country',
    { rules: [force('rule', condition('country', 'equals', 'DE'))] },
    { userAttributes: { country: 'DE' } },
    byRule('rule'),
  ],
  [
    'a rule on the country of an address',
    { rules: [force('rule', condition('country', 'exists', undefined))] },
    { userAttributes: { ip_address: '8.8.8.8' } },
    byRule('rule'),
  ],
  ['an unknown country', { rules: [force('rule', condition('country', 'equals', 'DE'))] }, {}, DEFAULT],
  [
    'a rule on the device of a user agent',
    { rules: [force('rule', condition('device_type', 'equals', 'mobile'))] },
    { headers: { 'user-agent': PHONE } },
    byRule('rule'),
  ],
  [
    'a rule on the language',
    { rules: [force('rule', condition('language', 'equals', 'de'))] },
    { headers: { 'accept-language': 'en;q=0.5, de-CH' } },
    byRule('rule'),
  ],
  [
    'a rule on the referrer',
    { rules: [force('rule', condition('referrer_domain', 'equals', 'search.example'))] },
    { headers: { referer: 'https://www.search.example/?q=x' } },
    byRule('rule'),
  ],
  [
    'a rule on the path',
    { rules: [force('rule', condition('url_path', 'starts_with', '/a/'))] },
    { url: 'https://HOST/a/b' },
    byRule('rule'),
  ],
  [
    'a rule on a query parameter',
    { rules: [force('rule', condition('query_param', 'equals', 'ü b', { param: 'q' }))] },
    { url: 'https://HOST/?q=%C3%BC+b' },
    byRule('rule'),
  ],
  [
    'a rule on the hour of a time zone',
    { rules: [force('rule', condition('hour_of_day', 'equals', 9, { timezone: 'Europe/Berlin' }))] },
    { at: '2026-01-31T08:30:00Z' },
    byRule('rule'),
  ],
  ['an A/B test, which leaves the variant open', { rules: [split('ab')] }, {}, [variant('x'), variant('y')]],
  [
    'an A/B test by visitor',
    { rules: [split('ab', { sticky: 'visitor' })] },
    {},
    [variant('x'), variant('y')],
  ],
  [
    'a percentage, which leaves open who is in',
    { rules: [share('some')] },
    {},
    [byRule('some', 302), { ...DEFAULT, ruleId: expect.any(Number), ruleName: 'some' }],
  ],
  ['a percentage of all', { rules: [share('all', { percentage: 100 })] }, {}, byRule('all', 302)],
  [
    'a visitor outside a percentage, with a path',
    {
      rules: [share('some')],
      paths: { entries: [{ source: '/', destination: 'https://entry.example' }] },
    },
    {},
    [
      byRule('some', 302),
      answer(301, 'https://entry.example', 'path', {
        ruleId: expect.any(Number),
        ruleName: 'some',
        source: '/',
      }),
    ],
  ],
  [
    'an exact path',
    { paths: { entries: [{ source: '/a', destination: 'https://entry.example', statusCode: 307 }] } },
    { url: 'https://HOST/a' },
    answer(307, 'https://entry.example', 'path', { source: '/a' }),
  ],
  [
    'a path with placeholders and a query',
    {
      paths: {
        entries: [{ source: '/u/:name/*', query: { v: '1' }, destination: 'https://e.example/:name?p=*' }],
      },
    },
    { url: 'https://HOST/u/ada/x/y?v=1' },
    answer(301, 'https://e.example/ada?p=x/y', 'path', { source: '/u/:name/*' }),
  ],
  [
    'a path that is gone',
    { paths: { entries: [{ source: '/a', destination: null, statusCode: 410 }] } },
    { url: 'https://HOST/a' },
    answer(410, null, 'path', { source: '/a' }),
  ],
  [
    'an unmatched path',
    { paths: { options: { unmatched: 'not_found' }, entries: [] } },
    {},
    answer(404, null, 'not_found'),
  ],
  [
    'an unmatched path that is gone',
    { paths: { options: { unmatched: 'gone' }, entries: [] } },
    {},
    answer(410, null, 'gone'),
  ],
  [
    'a rule before a path',
    { rules: [force('rule')], paths: { entries: [{ source: '/', destination: 'https://entry.example' }] } },
    {},
    byRule('rule'),
  ],
  [
    'a URL that leads to itself',
    {
      rules: [
        force('rule', {
          ...condition('url_path', 'equals', '/x'),
          action: { type: 'redirect', url: 'https://HOST/x' },
        }),
      ],
    },
    { url: 'https://HOST/x' },
    { ...answer(508, null, 'rule'), ruleId: expect.any(Number), ruleName: 'rule' },
  ],
];

describe('a run', () => {
  it.each(CASES)(
    'answers %s as data planes do',
    async (_what, { settings, rules = [], paths }, request, received) => {
      const { id, host } = await area.createRedirect(ada, settings);
      const withHost = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('HOST', host));
      for (const rule of rules) await ask('POST', `/redirects/${id}/rules`, withHost(rule));
      if (paths !== undefined) await ask('PUT', `/redirects/${id}/paths`, withHost(paths));
      const url = `https://${host}/`;
      await put(id, [{ name: 'one', request: withHost({ url, ...request }), expect: { statusCode: 599 } }]);
      const { summary, results } = await run(id);
      expect(summary).toEqual({ total: 1, passed: 0, failed: 1 });
      const expected = [received].flat().map((one) => {
        const { location } = one as { location: string | null };
        return { ...one, location: location?.replaceAll('HOST', host) ?? null };
      });
      expect(results[0].received).toEqual(expected);
      // The received answer passes as the expectation.
      const { statusCode, location, ruleName } = results[0].received.at(-1);
      const same = { statusCode, ...(location && { location }), ...(ruleName && { ruleName }) };
      await put(id, [{ name: 'one', request: withHost({ url, ...request }), expect: same }]);
      expect((await run(id)).results[0]).toMatchObject({ status: 'passed', message: null });
    },
  );

  it('reads labels below a wildcard', async () => {
    const { id } = await area.createRedirect(ada, { fromDomain: '*.wild.localhost' });
    await ask('PUT', `/redirects/${id}/paths`, {
      entries: [{ source: '/*', destination: 'https://new.example/{host.1}/*' }],
    });
    const below = example('de.wild.localhost', { location: 'https://new.example/de/' });
    expect((await put(id, [below])).status).toBe(200);
    expect((await run(id)).summary).toEqual({ total: 1, passed: 1, failed: 0 });
    expect((await put(id, [example('wild.localhost', { statusCode: 301 })])).status).toBe(422);
  });
});
