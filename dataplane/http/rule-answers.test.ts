import { describe, expect, it } from 'vitest';
import type { RuleDefinition } from '../../shared/rules/rule-definition.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { ruleOf, shareOf, splitOf } from '../sync/rule-definition.fixture.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort, VERSION } from './visitor-port.fixture.js';

const HOST = 'a.example';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

function openWith(
  rules: readonly RuleDefinition[],
  settings: Partial<RedirectDefinition> = {},
  random = 0.5,
) {
  return openVisitorPort([redirectOf(HOST, { ...settings, rules })], {
    visitorSources: testVisitorSources({ random: () => random }),
  });
}

const forceTo = (url: string, more: object = {}) => ruleOf(1, { action: { type: 'redirect', url, ...more } });

describe('the answer of a redirect with rules', () => {
  it.each(['permanent', 'temporary'] as const)(
    'may not be kept, be the redirect %s',
    async (redirectType) => {
      const { port } = await openWith([ruleOf(1)], { redirectType });
      const { statusCode, headers } = await exchange(port, request('/', HOST));
      expect(statusCode).toBe(redirectType === 'permanent' ? 301 : 302);
      expect(headers).toMatchObject({ location: 'https://rule-1.example', 'cache-control': 'no-store' });
    },
  );

  it.each([
    { rule: ruleOf(1), statusCode: 301 },
    {
      rule: ruleOf(1, { action: { type: 'redirect', url: 'https://r.example', statusCode: 307 } }),
      statusCode: 307,
    },
    { rule: shareOf(1, 60), statusCode: 302 },
    { rule: shareOf(1, 60, { statusCode: 308 }), statusCode: 308 },
    { rule: shareOf(1, 40, { statusCode: 308 }), statusCode: 301 },
    { rule: splitOf(1, ['x', 'y'], 'cookie'), statusCode: 302 },
  ])('has the status $statusCode, as $rule.action says, also in the hit', async ({ rule, statusCode }) => {
    const { port, recorder } = await openWith([rule], { cacheSeconds: 60 });
    const answer = await exchange(port, request('/', HOST));
    expect(answer.statusCode).toBe(statusCode);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(recorder.hits[0]).toMatchObject({ statusCode });
  });

  it('may not be kept when no rule matches either', async () => {
    const { port } = await openWith([ruleOf(1, { endMs: 0 })]);
    const { headers } = await exchange(port, request('/', HOST));
    expect(headers).toMatchObject({ location: 'https://destination.example', 'cache-control': 'no-store' });
  });

  it('is the same for HEAD', async () => {
    const { port, recorder } = await openWith([ruleOf(1)]);
    const connection = await openConnection(port);
    connection.send(request('/', HOST, { method: 'HEAD' }));
    expect((await connection.answer(true)).headers.location).toBe('https://rule-1.example');
    expect(recorder.hits[0]).toMatchObject({ method: 'HEAD', ruleId: 1 });
  });

  it('is that of the first rule that matches', async () => {
    const android = { attribute: 'os_name', operator: 'equals', value: 'Android' } as const;
    const { port } = await openWith([ruleOf(3, { conditions: [android] }), ruleOf(2), ruleOf(1)]);
    expect((await exchange(port, request('/', HOST))).headers.location).toBe('https://rule-2.example');
  });
});

describe('the location by a rule', () => {
  it.each([
    { own: {}, location: 'https://rule.example/base/a?own=1&q' },
    { own: { pathForwarding: false }, location: 'https://rule.example/base?own=1&q' },
    { own: { queryForwarding: false }, location: 'https://rule.example/base/a?own=1' },
    { own: { pathForwarding: false, queryForwarding: false }, location: 'https://rule.example/base?own=1' },
  ])("forwards as the redirect does, but for the action's own $own", async ({ own, location }) => {
    const settings = { pathForwarding: true, queryForwarding: true };
    const { port } = await openWith([forceTo('https://rule.example/base?own=1', own)], settings);
    expect((await exchange(port, request('/a?q', HOST))).headers.location).toBe(location);
  });

  it.each([
    { random: 0.2, location: 'https://one.example/a' },
    { random: 0.8, location: 'https://two.example' },
  ])("forwards as the variant's own switches say: $location", async ({ random, location }) => {
    const variants = [
      { name: 'one', percentage: 50, url: 'https://one.example', pathForwarding: true },
      { name: 'two', percentage: 50, url: 'https://two.example' },
    ];
    const rule = ruleOf(1, { action: { type: 'ab_test', variants, sticky: 'none' } });
    const { port } = await openWith([rule], {}, random);
    expect((await exchange(port, request('/a?q', HOST))).headers.location).toBe(location);
  });

  it('is 508 when it is what was asked for, and counts', async () => {
    const { port, counts, recorder } = await openWith([forceTo(`http://${HOST}/home`)]);
    const looping = await exchange(port, request('/home', HOST));
    expect(looping.statusCode).toBe(508);
    expect(looping.headers.location).toBeUndefined();
    expect((await exchange(port, request('/', HOST))).headers.location).toBe(`http://${HOST}/home`);
    expect(counts).toMatchObject({ loop: 1, redirect: 1 });
    expect(recorder.hits[0]).toMatchObject({ statusCode: 508, ruleId: 1 });
  });

  it('is no 508 for a loop of the default that the rule leads out of', async () => {
    const { port } = await openWith([ruleOf(1)], { destination: `http://${HOST}/home` });
    expect((await exchange(port, request('/home', HOST))).statusCode).toBe(301);
  });

  it.each([
    { forwards: 'the rule', settings: {}, own: { pathForwarding: true }, statusCode: 400 },
    {
      forwards: 'nothing',
      settings: { pathForwarding: true },
      own: { pathForwarding: false },
      statusCode: 301,
    },
  ])('is $statusCode for bytes that are not UTF-8 where $forwards forwards them', async (given) => {
    const { settings, own, statusCode } = given;
    const { port } = await openWith([forceTo('https://rule.example', own)], settings);
    expect((await exchange(port, request('/\xff', HOST))).statusCode).toBe(statusCode);
  });
});

describe('the dates of a rule', () => {
  it('go by the clock, from request to request, both ends included', async () => {
    let nowMs = 999;
    const visitorSources = testVisitorSources({ nowMs: () => nowMs });
    const rules = [ruleOf(1, { startMs: 1_000, endMs: 2_000 })];
    const { port } = await openVisitorPort([redirectOf(HOST, { rules })], { visitorSources });
    const connection = await openConnection(port);
    for (const [at, isLive] of [
      [999, false],
      [1_000, true],
      [2_000, true],
      [2_001, false],
      [1_500, true],
    ] as const) {
      nowMs = at;
      connection.send(request('/', HOST));
      const { location } = (await connection.answer()).headers;
      expect(location).toBe(isLive ? 'https://rule-1.example' : 'https://destination.example');
    }
  });
});

describe('the time of a hit', () => {
  it('is that by which the rules decided, and after the end of the redirect that of the request', async () => {
    let nowMs = 1_500;
    const visitorSources = testVisitorSources({ nowMs: () => nowMs });
    const settings = { endsAt: 2_000, afterEnd: { url: 'https://ended.example' }, rules: [ruleOf(1)] };
    const { port, recorder } = await openVisitorPort([redirectOf(HOST, settings)], { visitorSources });
    await exchange(port, request('/', HOST));
    nowMs = 2_500;
    await exchange(port, request('/', HOST));
    expect(recorder.hits[0]).toMatchObject({ timestampMs: 1_500, ruleId: 1 });
    // The recorder that tests use has no clock.
    expect(recorder.hits[1]).toMatchObject({ timestampMs: 0, ruleId: 0 });
  });
});

describe('what is counted of a rule', () => {
  it('is every match by variant, also when no hit is recorded', async () => {
    const rules = [splitOf(5, ['one', 'two'], 'cookie')];
    const { port, recorder, ruleCounts } = await openWith(rules, { samplingRate: 0 }, 0.8);
    const id = redirectOf(HOST).id;
    const first = await exchange(port, request('/', HOST));
    const headers = [`Cookie: ${first.headers['set-cookie']!.split(';', 1)[0]}`];
    for (let time = 0; time < 4; time += 1) await exchange(port, request('/', HOST, { headers }));
    expect(recorder.ruleHitsOf(id, 5, 'two')).toBe(5);
    expect(recorder.ruleHitsOf(id, 5, 'one')).toBe(0);
    expect(recorder.requestsOf(id)).toBe(5);
    expect(recorder.hits).toHaveLength(0);
    expect(ruleCounts.matches).toBe(5);
  });

  it('is also how many matches were of people, which no bot, HEAD, prefetch or preview is', async () => {
    const { port, recorder } = await openWith([splitOf(5, ['A', 'B'], 'none')], { samplingRate: 0 }, 0.2);
    const visit = (agent: string, method = 'GET', headers: string[] = []) =>
      exchange(port, request('/', HOST, { method, headers: [`User-Agent: ${agent}`, ...headers] }));
    for (let time = 0; time < 9; time += 1)
      await visit('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)');
    await visit('curl/8.5.0');
    await visit(FIREFOX, 'HEAD');
    await visit(FIREFOX, 'GET', ['Sec-Purpose: prefetch']);
    await visit('Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)');
    for (let time = 0; time < 4; time += 1) await visit(FIREFOX);
    const id = redirectOf(HOST).id;
    expect([recorder.ruleHitsOf(id, 5, 'A'), recorder.humanHitsOf(id, 5, 'A')]).toEqual([17, 4]);
    expect([recorder.ruleHitsOf(id, 5, 'B'), recorder.humanHitsOf(id, 5, 'B')]).toEqual([0, 0]);
  });

  it.each([0.1, 0.9])('is a match inside and outside of a percentage alike: draw %d', async (random) => {
    const { port, recorder } = await openWith([shareOf(5, 50)], {}, random);
    await exchange(port, request('/', HOST));
    expect(recorder.ruleHitsOf(redirectOf(HOST).id, 5, '')).toBe(1);
    expect(recorder.hits[0]).toMatchObject({ ruleId: 5, variant: '' });
  });

  it('goes on when the redirect is changed', async () => {
    const { port, recorder, table } = await openWith([shareOf(5, 50), ruleOf(6)], {}, 0.1);
    await exchange(port, request('/', HOST));
    const redirect = redirectOf(HOST, { rules: [ruleOf(6, { endMs: 0 }), shareOf(5, 60)] });
    const version = { ...VERSION, seq: VERSION.seq + 1 };
    table.apply({ version, previousSeq: VERSION.seq, changes: [{ host: HOST, redirect }] });
    await exchange(port, request('/', HOST));
    expect(recorder.ruleHitsOf(redirect.id, 5, '')).toBe(2);
    expect(recorder.ruleHitsOf(redirect.id, 6, '')).toBe(0);
  });

  it('is nothing of the rules that did not decide', async () => {
    const { port, recorder, ruleCounts } = await openWith([ruleOf(1, { endMs: 0 })]);
    await exchange(port, request('/', HOST));
    expect(recorder.ruleHitsOf(redirectOf(HOST).id, 1, '')).toBe(0);
    expect(recorder.hits[0]).toMatchObject({ ruleId: 0, variant: '' });
    expect(ruleCounts.matches).toBe(0);
  });

  it.each([
    { rules: [shareOf(5, 50)], draw: 0.7 },
    { rules: [splitOf(5, ['one', 'two'], 'cookie')], draw: 0.7 },
    { rules: [splitOf(5, ['one', 'two'], 'visitor')], draw: 0 },
    { rules: [ruleOf(5)], draw: 0 },
  ])('is the draw $draw in the hit of $rules.0.action.type', async ({ rules, draw }) => {
    const { port, recorder } = await openWith(rules, {}, 0.7);
    await exchange(port, request('/', HOST));
    expect(recorder.hits[0]).toMatchObject({ ruleId: 5, draw });
  });

  it('stands in the recorded hit, without the draw of the visitor before', async () => {
    const { port, recorder } = await openWith([splitOf(5, ['one', 'two'], 'cookie')], {}, 0.8);
    const first = await exchange(port, request('/', HOST));
    const headers = [`Cookie: ${first.headers['set-cookie']!.split(';', 1)[0]}`];
    await exchange(port, request('/', HOST, { headers }));
    expect(recorder.hits.map(({ variant, draw }) => [variant, draw])).toEqual([
      ['two', 0.8],
      ['two', 0],
    ]);
  });

  it('stands in the recorded hit', async () => {
    const { port, recorder } = await openWith([splitOf(5, ['one', 'two'], 'none')], {}, 0.1);
    await exchange(port, request('/', HOST));
    expect(recorder.hits[0]).toMatchObject({
      ruleId: 5,
      variant: 'one',
      location: 'https://one.example',
      statusCode: 302,
    });
  });
});

describe('a visitor who sends more than the rules of a redirect can judge', () => {
  const contains = (attribute: 'user_agent' | 'url_path', at: number) =>
    ({ attribute, operator: 'contains', value: `none ${at}` }) as const;
  const rulesOn = (attribute: 'user_agent' | 'url_path') =>
    Array.from({ length: 200 }, (_, at) => ruleOf(at + 1, { conditions: [contains(attribute, at)] }));
  // As much as surely comes in one piece on a local connection; what comes in pieces is refused much earlier.
  const LONG = 'x'.repeat(20_000);

  it.each([
    { attribute: 'url_path', target: `/${LONG}`, headers: [], status: 414 },
    { attribute: 'user_agent', target: '/', headers: [`User-Agent: ${LONG}`], status: 431 },
  ] as const)('is told so, and is counted: $attribute', async ({ attribute, target, headers, status }) => {
    const { port, counts, ruleCounts, recorder } = await openVisitorPort([
      redirectOf('a.example', { rules: rulesOn(attribute) }),
    ]);
    const refused = await exchange(port, request(target, 'a.example', { headers: [...headers] }));
    expect(refused.statusCode).toBe(status);
    expect(refused.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(refused.headers).not.toHaveProperty('location');
    expect(counts).toMatchObject({ tooLong: 1, redirect: 0 });
    expect(ruleCounts.matches).toBe(0);
    expect(recorder.hits[0]).toMatchObject({ statusCode: status, location: '', ruleId: 0 });
    expect((await exchange(port, request('/', 'a.example'))).statusCode).toBe(301);
  });

  it('is led on where there are no rules, or few', async () => {
    const [rule] = rulesOn('url_path');
    const { port } = await openVisitorPort([
      redirectOf('plain.example', { pathForwarding: true }),
      redirectOf('few.example', { pathForwarding: true, rules: [rule!] }),
    ]);
    for (const host of ['plain.example', 'few.example']) {
      const { headers } = await exchange(port, request(`/${LONG}`, host));
      expect(headers.location).toBe(`https://destination.example/${LONG}`);
    }
  });
});

describe('a change of rules', () => {
  /** Version `seq` in every part: what a mix would show. */
  const redirectAt = (seq: number) =>
    redirectOf(HOST, {
      destination: `https://default-${seq}.example`,
      rules: [
        ruleOf(seq, {
          conditions: [{ attribute: 'url_path', operator: 'equals', value: `/${seq % 2}` }],
          action: { type: 'redirect', url: `https://rule-${seq}.example` },
        }),
      ],
    });

  it('is seen by a request whole or not at all, on a connection that goes on', async () => {
    const { port, table, recorder } = await openVisitorPort([redirectAt(1)]);
    const connection = await openConnection(port);
    const changes = 50;
    for (let seq = 1; seq <= changes; seq += 1) {
      if (seq > 1) {
        table.apply({
          version: { ...VERSION, seq },
          previousSeq: seq - 1,
          changes: [{ host: HOST, redirect: redirectAt(seq) }],
        });
      }
      // Sent in one go, and answered while further changes are under way.
      connection.send(request('/0', HOST) + request('/1', HOST));
      if (seq % 5 === 0) await connection.answer();
    }
    while (recorder.hits.length < 2 * changes) await connection.answer();
    const seen = recorder.hits.map(({ location, ruleId, rulesetVersion, path }) => {
      const seq = Number(rulesetVersion.split('.')[1]);
      const isByRule = path === `/${seq % 2}`;
      expect(ruleId).toBe(isByRule ? seq : 0);
      expect(location).toBe(`https://${isByRule ? 'rule' : 'default'}-${seq}.example`);
      return seq;
    });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(new Set(seen).size).toBeGreaterThan(1);
  });
});
