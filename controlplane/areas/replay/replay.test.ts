import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedOfVariant } from '../../../shared/rules/choice/draw.js';
import type { TestUser } from '../../http/api.fixture.js';
import { createMortalStore } from '../../http/idempotency/mortal-store.fixture.js';
import type { HitOptions } from '../../ingest/hit-batch.fixture.js';
import { UNKNOWN_VERSIONS } from '../history/public.js';
import { PLANS } from '../plans/default-plans.js';
import { judgeInPlace } from './judging.fixture.js';
import { PERIOD, type ReplayApi, startReplayApi } from './replay-api.fixture.js';
import { runReplay } from './replay-run.js';
import { createVisitReader } from './visit-reader.js';

const secrets = { current: Buffer.from('a secret for tests only'), previous: [] };
const mortal = createMortalStore(() => app.api.database, secrets);
let app: ReplayApi;
let ann: TestUser;
let bob: TestUser;

beforeAll(async () => {
  app = await startReplayApi({ app: { idempotency: mortal.store } });
  ann = await app.api.createUser();
  bob = await app.api.createUser();
});
afterAll(() => app.close());

const DEFAULT = 'https://default.example';
const RULE = { name: 'a rule', type: 'force', action: { type: 'redirect', url: 'https://rule.example/' } };

/** Creates a redirect with visits. Its own destination answered them, unless `hits` says otherwise. */
async function visited(hits: readonly HitOptions[], settings: object = {}) {
  const { id, host } = await app.createRedirect(ann, settings);
  const visit = { redirect_id: id, host, destination_url: DEFAULT, query: '' };
  if (hits.length > 0) await app.record(hits.map((hit) => ({ ...visit, ...hit })));
  return id;
}

const times = (count: number, hit: HitOptions = {}): HitOptions[] => Array.from({ length: count }, () => hit);
const visits = (counts: object) => ({
  unchanged: 0,
  changed: 0,
  unjudged: 0,
  otherDestination: 0,
  otherRule: 0,
  otherVariant: 0,
  newLoops: 0,
  ...counts,
});

describe('a replay', () => {
  it('of the definition in force finds every visit unchanged', async () => {
    const id = await visited(times(5));
    expect(await app.run(ann, id)).toMatchObject({
      redirectId: id,
      state: 'finished',
      progress: 1,
      start: '2026-01-31T00:00:00.000Z',
      end: '2026-02-02T23:59:59.999Z',
      visits: visits({ total: 5, estimatedTotal: 5, replayed: 5, unchanged: 5 }),
      changes: [],
      unjudged: [],
      rules: [],
      loop: [],
      error: null,
    });
  });

  it('of a draft says what would change, with examples that do not tell who the visitor is', async () => {
    const german = { country: 'DE', device_type: 'mobile', path: '/a', timestamp: '2026-02-01 10:00:00.000' };
    const id = await visited([...times(6), ...times(2, german)]);
    const conditions = [{ attribute: 'country', operator: 'equals', value: 'DE' }];
    const draft = {
      rules: [
        { ...RULE, conditions },
        { ...RULE, name: 'nobody', conditions: [{ ...conditions[0], value: 'FR' }] },
      ],
    };
    const { changes, rules, visits: counts } = await app.run(ann, id, { draft });
    expect(counts).toEqual(
      visits({ total: 8, estimatedTotal: 8, replayed: 8, unchanged: 6, changed: 2, otherRule: 2 }),
    );
    const example = {
      path: '/a',
      timestamp: '2026-02-01T10:00:00.000Z',
      country: 'DE',
      deviceType: 'mobile',
    };
    expect(changes).toEqual([
      {
        from: { ruleId: null, variant: null, destination: DEFAULT, statusCode: 301 },
        to: { ruleId: -1, variant: null, destination: 'https://rule.example/', statusCode: 301 },
        visits: 2,
        share: 0.25,
        isRest: false,
        examples: [example],
      },
    ]);
    expect(rules).toEqual([
      { ruleId: -1, name: 'a rule', before: 0, after: 2, state: 'decides' },
      { ruleId: -2, name: 'nobody', before: 0, after: 0, state: 'matches_nothing' },
    ]);
  });

  it('changes nothing that visitors get', async () => {
    const id = await visited(times(1));
    const before = await app.list(ann, id);
    await app.run(ann, id, { draft: { redirect: { toDomain: 'https://other.example' }, rules: [RULE] } });
    expect(await app.list(ann, id)).toEqual(before);
    expect(await app.redirects.requireOwned(id, ann.id)).toMatchObject({ toDomain: DEFAULT });
  });

  it('of settings composes destinations as data planes do', async () => {
    const id = await visited([
      { path: '/a%2Fb', query: 'x=1', destination_url: DEFAULT },
      { path: '/', query: '', destination_url: DEFAULT },
    ]);
    const draft = { redirect: { pathForwarding: true, queryForwarding: true, statusCode: 308 } };
    const { changes, visits: counts } = await app.run(ann, id, { draft });
    expect(counts).toMatchObject({ changed: 2, otherDestination: 2 });
    expect(changes.map(({ to }: { to: object }) => to)).toEqual(
      expect.arrayContaining([
        { ruleId: null, variant: null, destination: `${DEFAULT}/a%2Fb?x=1`, statusCode: 308 },
        { ruleId: null, variant: null, destination: DEFAULT, statusCode: 308 },
      ]),
    );
  });

  it('of a table of paths says where its entries lead, and 404 where it has none', async () => {
    const id = await visited([{ path: '/old/7' }, { path: '/x' }]);
    const entries = [{ source: '/old/:id', destination: 'https://shop.example/p/:id' }];
    const draft = { paths: { options: { unmatched: 'not_found' }, entries } };
    const { changes } = await app.run(ann, id, { draft });
    expect(changes.map(({ to }: { to: object }) => to)).toEqual(
      expect.arrayContaining([
        { ruleId: null, variant: null, destination: 'https://shop.example/p/7', statusCode: 301 },
        { ruleId: null, variant: null, destination: null, statusCode: 404 },
      ]),
    );
  });

  it('of the table of paths in force decides by the stored pages', async () => {
    const id = await visited([{ path: '/old/7', destination_url: 'https://shop.example/p/7' }]);
    const body = { entries: [{ source: '/old/*', destination: 'https://shop.example/p/*' }] };
    await app.api.call('PUT', `/redirects/${id}/paths`, { token: ann.token, body });
    expect((await app.run(ann, id)).visits).toMatchObject({ unchanged: 1, changed: 0, unjudged: 0 });
  });

  it('tells rules that an earlier one shadows, and those that are gone', async () => {
    const id = await visited([{ country: 'DE', rule_id: 999, destination_url: 'https://gone.example' }]);
    const german = [{ attribute: 'country', operator: 'equals', value: 'DE' }];
    const draft = { rules: [RULE, { ...RULE, name: 'shadowed', conditions: german }] };
    expect((await app.run(ann, id, { draft })).rules).toEqual([
      { ruleId: -1, name: 'a rule', before: 0, after: 1, state: 'decides' },
      { ruleId: -2, name: 'shadowed', before: 0, after: 0, state: 'shadowed' },
      { ruleId: 999, name: '', before: 1, after: 0, state: 'removed' },
    ]);
  });

  it('counts visits that would get 508, and names a loop through other redirects', async () => {
    const id = await visited([{ path: '/' }]);
    const { fromDomain } = await app.redirects.requireOwned(id, ann.id);
    const other = await app.createRedirect(ann, { toDomain: `https://${fromDomain}` });
    const url = `https://${other.host}/`;
    const looping = await app.run(ann, id, {
      draft: { rules: [{ ...RULE, action: { ...RULE.action, url } }] },
    });
    expect(looping.loop).toEqual(expect.arrayContaining([fromDomain, other.host]));
    const self = { ...RULE, action: { ...RULE.action, url: `https://${fromDomain}/` } };
    expect((await app.run(ann, id, { draft: { rules: [self] } })).visits).toMatchObject({ newLoops: 1 });
  });

  it('judges a random sample of more visits than it may, with intervals', async () => {
    const id = await visited(times(400));
    const { visits: counts, changes } = await app.run(ann, id, { draft: { rules: [RULE] }, sample: 100 });
    expect(counts.total).toBe(400);
    expect(counts.replayed).toBeGreaterThan(50);
    expect(counts.replayed).toBeLessThan(160);
    expect(counts.changed).toBe(counts.replayed);
    const [low, high] = changes[0].interval;
    expect(low).toBeGreaterThan(0.9);
    expect(low).toBeLessThan(1);
    expect(high).toBe(1);
  });

  it('weighs visits by their sampling rate, with intervals', async () => {
    const rare = { sampling_rate: 0.1, country: 'DE' };
    const id = await visited([...times(5, rare), ...times(50)]);
    const conditions = [{ attribute: 'country', operator: 'equals', value: 'DE' }];
    const { visits: counts, changes } = await app.run(ann, id, {
      draft: { rules: [{ ...RULE, conditions }] },
    });
    expect(counts).toMatchObject({ total: 55, estimatedTotal: 100, replayed: 55, changed: 5, unchanged: 50 });
    expect(changes).toMatchObject([{ visits: 5, estimatedVisits: 50, share: 0.5 }]);
    // 55 visits of these weights have the information of 18 visits of one weight.
    const [low, high] = changes[0].interval;
    expect([low, high].map((end: number) => Number(end.toFixed(3)))).toEqual([0.291, 0.709]);
  });

  it('of a redirect that is switched off finds 404, and of a rule that is not active none', async () => {
    const id = await visited(times(3));
    const off = await app.run(ann, id, { draft: { redirect: { enabled: false } } });
    expect(off.changes).toMatchObject([{ visits: 3, to: { destination: null, statusCode: 404 } }]);
    const idle = await app.run(ann, id, { draft: { rules: [{ ...RULE, status: 'inactive' }] } });
    expect(idle.visits).toMatchObject({ unchanged: 3 });
  });

  it('says what was replayed, and answers 304 while nothing has changed', async () => {
    const id = await visited(times(3));
    const draft = { redirect: { toDomain: 'https://other.example' } };
    const { id: replayId, spec } = await app.run(ann, id, { draft, sample: 1_000 });
    expect(spec).toEqual({ source: 'draft', draft, version: 1, sample: 1_000 });
    expect((await app.run(ann, id, { version: 1 })).spec).toMatchObject({ draft: null, version: 1 });
    const read = (headers: Record<string, string> = {}) =>
      app.api.call('GET', `/replays/${replayId}`, { token: ann.token, headers });
    const { etag } = (await read()).headers;
    expect((await read({ 'if-none-match': String(etag) })).status).toBe(304);
    expect((await read({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('follows the dates of rules to the millisecond', async () => {
    const id = await visited([
      { timestamp: '2026-01-31 23:59:59.999' },
      { timestamp: '2026-02-01 00:00:00.000' },
      { timestamp: '2026-02-01 23:59:59.999' },
      { timestamp: '2026-02-02 00:00:00.000' },
    ]);
    const draft = { rules: [{ ...RULE, startDate: '2026-02-01', endDate: '2026-02-01' }] };
    expect((await app.run(ann, id, { draft })).visits).toMatchObject({ changed: 2, unchanged: 2 });
  });
});

describe('the definition of a replay', () => {
  it('is that of the stored draft, with the rules that it would publish', async () => {
    const id = await visited(times(2));
    const rules = [
      { ...RULE, name: 'second', status: 'active', priority: 2 },
      { ...RULE, name: 'not active' },
      {
        ...RULE,
        name: 'first',
        status: 'active',
        priority: 1,
        action: { ...RULE.action, url: 'https://first.example/' },
      },
    ];
    await app.writeDraft(ann, id, { redirect: { statusCode: 307 }, rules } as never);
    const { changes, rules: decided } = await app.run(ann, id, { draft: true });
    expect(changes).toMatchObject([
      { visits: 2, to: { destination: 'https://first.example/', statusCode: 307 } },
    ]);
    expect(decided).toMatchObject([
      { name: 'first', state: 'decides' },
      { name: 'second', state: 'shadowed' },
    ]);
  });

  it('is that of a version, also with rules that are gone', async () => {
    const { id, host } = await app.createRedirect(ann);
    const rule = await app.createRule(ann, id);
    const { version } = await app.redirects.requireOwned(id, ann.id);
    await app.api.call('DELETE', `/rules/${rule.id}`, { token: ann.token });
    const url = RULE.action.url;
    await app.record([{ redirect_id: id, host, query: '', rule_id: rule.id, destination_url: url }]);
    expect((await app.run(ann, id, { version })).visits).toMatchObject({ unchanged: 1 });
    expect((await app.run(ann, id)).visits).toMatchObject({ changed: 1, otherRule: 1 });
  });

  it.each<[string, object, string]>([
    ['no stored draft', { draft: true }, 'draft'],
    ['draft: false', { draft: false }, 'draft'],
    ['a version that never was', { version: 999 }, 'version'],
    ['draft and version', { draft: true, version: 1 }, 'version'],
  ])('is refused with the field: %s', async (_, body, field) => {
    const { id } = await app.createRedirect(ann);
    const { status, json } = await app.ask(ann, id, body);
    expect([status, json.error.field]).toEqual([422, field]);
  });
});

describe('a visit of which something is missing', () => {
  const byAddress = (value: string) => [
    { ...RULE, conditions: [{ attribute: 'ip_address', operator: 'ip_range', value }] },
  ];
  const byToken = (operator: string, value?: string) => [
    {
      ...RULE,
      conditions: [{ attribute: 'query_param', param: 'token', operator, ...(value && { value }) }],
    },
  ];
  const shared = (sticky: string, percentage: number) => [
    {
      name: 'share',
      type: 'percentage',
      action: { type: 'percentage_redirect', url: 'https://rule.example/', percentage, sticky },
    },
  ];

  it.each<[string, HitOptions, object[], object]>([
    [
      'part of the network decides',
      {},
      byAddress('203.0.113.0/28'),
      { attribute: 'ip_address', reason: 'shortened' },
    ],
    [
      'a masked value decides',
      { query: 'token=***' },
      byToken('equals', 'x'),
      { attribute: 'query_param', reason: 'masked' },
    ],
    [
      'no query is recorded',
      { query_recording: 'none' },
      byToken('exists'),
      { attribute: 'query_param', reason: 'not_recorded' },
    ],
    [
      'a cut path decides',
      { path: `/${'x'.repeat(2_047)}` },
      [{ ...RULE, conditions: [{ attribute: 'url_path', operator: 'ends_with', value: 'y' }] }],
      { attribute: 'url_path', reason: 'shortened' },
    ],
    ['nothing was drawn', {}, shared('none', 50), { attribute: 'draw', reason: 'not_drawn' }],
    [
      'a new rule has no draws of visitors yet',
      {},
      shared('visitor', 50),
      { attribute: 'visitor', reason: 'not_recorded' },
    ],
    [
      'the request was refused',
      { status_code: 431, destination_url: '' },
      [RULE],
      { attribute: 'request', reason: 'refused' },
    ],
  ])('is unjudged where %s', async (_, hit, rules, gap) => {
    const id = await visited([hit]);
    const { unjudged, visits: counts, rules: decided } = await app.run(ann, id, { draft: { rules } });
    expect(unjudged).toEqual([{ ...gap, visits: 1, share: 1 }]);
    expect(decided).toMatchObject([{ state: 'unknown' }]);
    expect(counts).toMatchObject({ unjudged: 1, changed: 0, unchanged: 0 });
  });

  it.each<[string, HitOptions, object[]]>([
    ['the whole network is in the range', {}, byAddress('203.0.113.0/24')],
    ['a masked value is there', { query: 'token=***' }, byToken('exists')],
    [
      'a later condition of OR decides',
      {},
      [
        {
          ...RULE,
          conditionLogic: 'OR',
          conditions: [
            { attribute: 'ip_address', operator: 'equals', value: '203.0.113.9' },
            { attribute: 'url_path', operator: 'exists' },
          ],
        },
      ],
    ],
    [
      'all possible rules lead to the same',
      {},
      [{ ...byAddress('203.0.113.0/28')[0], id: 0 }, RULE].slice(1),
    ],
    ['everybody is in the share', {}, shared('none', 100)],
    ['a draw is recorded', { draw: 0.3, rule_id: 5 }, shared('none', 50)],
  ])('is judged where %s', async (_, hit, rules) => {
    const id = await visited([hit]);
    const { visits: counts } = await app.run(ann, id, { draft: { rules } });
    expect(counts).toMatchObject({ changed: 1, unjudged: 0 });
  });

  it.each<[string, HitOptions]>([
    ['the network is outside of the range', { ip_address: '198.51.100.0' }],
    ['the network is of the other family', { ip_address: '2001:db8:1::' }],
  ])('is judged where %s', async (_, hit) => {
    const id = await visited([hit]);
    const { visits: counts } = await app.run(ann, id, { draft: { rules: byAddress('203.0.113.0/28') } });
    expect(counts).toMatchObject({ unchanged: 1, unjudged: 0 });
  });
});

describe('a choice that was made', () => {
  const split = (sticky: string, shares: readonly number[]) => ({
    name: 'split',
    type: 'ab_experiment',
    action: {
      type: 'ab_test',
      sticky,
      variants: shares.map((percentage, at) => ({
        name: `v${at}`,
        percentage,
        url: `https://v${at}.example`,
      })),
    },
  });
  const hitOf = (ruleId: number, variant: string, draw: number) => ({
    rule_id: ruleId,
    variant,
    draw,
    status_code: 302,
    destination_url: `https://${variant}.example`,
  });

  it('keeps its draw and its cookie: the same rule with other shares moves only those who would be moved', async () => {
    const id = await visited([]);
    const { id: ruleId } = await app.createRule(ann, id, split('cookie', [50, 50]));
    const hits = [hitOf(ruleId, 'v0', 0.2), hitOf(ruleId, 'v1', 0.6), hitOf(ruleId, 'v1', 0)];
    await app.record(hits.map((hit) => ({ ...hit, redirect_id: id, query: '' })));
    expect((await app.run(ann, id)).visits).toMatchObject({ unchanged: 3 });
    // The draw 0.6 is in the first share now. The visitor with a cookie stays.
    const draft = { rules: [{ ...split('cookie', [70, 30]), id: ruleId }] };
    const { visits: counts, changes } = await app.run(ann, id, { draft });
    expect(counts).toMatchObject({ unchanged: 2, changed: 1, otherVariant: 1 });
    expect(changes[0]).toMatchObject({ from: { ruleId, variant: 'v1' }, to: { ruleId, variant: 'v0' } });
  });

  it('is unjudged where a cookie of a removed variant decided', async () => {
    const id = await visited([]);
    const { id: ruleId } = await app.createRule(ann, id, split('cookie', [50, 50]));
    await app.record([{ ...hitOf(ruleId, 'gone', 0), redirect_id: id, query: '' }]);
    expect((await app.run(ann, id)).unjudged).toMatchObject([{ attribute: 'draw', reason: 'not_drawn' }]);
    expect(seedOfVariant(ruleId, 'gone')).not.toBe(seedOfVariant(ruleId, 'v0'));
  });

  it('of a percentage with cookies is known where the answer tells it', async () => {
    const id = await visited([]);
    const share = {
      type: 'percentage_redirect',
      url: 'https://in.example',
      percentage: 30,
      sticky: 'cookie',
    };
    const { id: ruleId } = await app.createRule(ann, id, { type: 'percentage', action: share });
    const hit = { redirect_id: id, query: '', rule_id: ruleId };
    await app.record([
      { ...hit, destination_url: 'https://in.example', status_code: 302 },
      { ...hit, destination_url: DEFAULT, status_code: 301 },
    ]);
    expect((await app.run(ann, id)).visits).toMatchObject({ unchanged: 2, unjudged: 0 });
  });
});

describe('the request for a replay', () => {
  it.each<[string, object, string]>([
    ['start after end', { start: '2026-02-02', end: '2026-02-01' }, 'start'],
    ['a start that is no date', { start: 'yesterday' }, 'start'],
    ['a period without hits', { start: '2026-01-01', end: '2026-01-02' }, 'start'],
    ['a period beyond retention', { start: '2025-01-01', end: '2025-02-01' }, 'end'],
    ['a start in the future', { start: '2027-01-01', end: '2027-02-01' }, 'start'],
    ['a sample of 0', { sample: 0 }, 'sample'],
    ['an unknown member', { drafts: {} }, 'drafts'],
    [
      'a rule that does not compile',
      {
        draft: {
          rules: [{ ...RULE, conditions: [{ attribute: 'country', operator: 'regex', value: 'x' }] }],
        },
      },
      'draft.rules.0.conditions.0.operator',
    ],
    ['a rule without a name', { draft: { rules: [{ ...RULE, name: undefined }] } }, 'draft.rules.0.name'],
    ['a rule of another redirect', { draft: { rules: [{ ...RULE, id: 123_456 }] } }, 'draft.rules.0.id'],
    [
      'a destination that is no URL',
      { draft: { redirect: { toDomain: 'nonsense' } } },
      'draft.redirect.toDomain',
    ],
    [
      'an entry that is no path',
      { draft: { paths: { entries: [{ source: 'x', destination: '/y' }] } } },
      'draft.paths.entries.0.source',
    ],
  ])('is refused with the field: %s', async (_, body, field) => {
    const id = await visited(times(1));
    const { status, json } = await app.ask(ann, id, body);
    expect(status, JSON.stringify(json)).toBe(422);
    expect(json.error).toMatchObject({ field });
  });

  it('is for the owner alone', async () => {
    const id = await visited(times(1));
    expect((await app.ask(bob, id)).status).toBe(403);
    expect((await app.ask(ann, 'rd_none')).status).toBe(404);
    const { json } = await app.ask(ann, id);
    for (const [method, path] of [
      ['GET', `/replays/${json.id}`],
      ['POST', `/replays/${json.id}/cancel`],
    ] as const) {
      expect((await app.api.call(method, path, { token: bob.token })).status).toBe(403);
    }
    expect((await app.api.call('GET', '/replays/rp_none', { token: ann.token })).status).toBe(404);
    await app.api.call('POST', `/replays/${json.id}/cancel`, { token: ann.token });
  });

  it('is started once, also if the process is killed before it answers', async () => {
    const id = await visited(times(1));
    const start = () =>
      app.api.call('POST', `/redirects/${id}/replay`, {
        token: ann.token,
        body: PERIOD,
        headers: { 'idempotency-key': 'one-replay' },
      });
    mortal.dies = true;
    const first = await start();
    mortal.dies = false;
    const again = await start();
    expect([again.status, again.json.id]).toEqual([202, first.json.id]);
    await app.api.call('POST', `/replays/${first.json.id}/cancel`, { token: ann.token });
  });

  it('waits while one of the user runs; further ones are refused', async () => {
    const carl = await app.api.createUser();
    const { id, host } = await app.createRedirect(carl);
    await app.record([{ redirect_id: id, host, destination_url: DEFAULT }]);
    for (let at = 0; at < 5; at += 1) expect((await app.ask(carl, id)).status).toBe(202);
    expect((await app.ask(carl, id)).status).toBe(429);
    await app.runner.runRound();
    expect((await app.ask(carl, id)).status).toBe(202);
    await app.runner.runRound();
  });
});

describe('visits of a replay', () => {
  const DAY_MS = 86_400_000;
  const FROM_MS = Date.parse('2026-02-01T00:00:00Z');
  const DAYS = 6;
  const definitionOf = (id: string) => ({
    ...{ id, host: 'x.localhost', destination: 'https://other.example', redirectType: 'permanent' as const },
    ...{ pathForwarding: true, queryForwarding: false, samplingRate: 1 },
  });

  /** Replays visits in slices of a day. Resolves to the result and to whether each slice was read in groups. */
  async function replayByDays(id: string, paths: (visit: number) => string) {
    const visits = Array.from({ length: DAYS * 10 }, (_, visit) => ({
      redirect_id: id,
      path: paths(visit),
      query: '',
      country: visit % 3 === 0 ? 'DE' : 'FR',
      sampling_rate: visit % 2 === 0 ? 1 : 0.5,
      destination_url: DEFAULT,
      timestamp: `2026-02-0${1 + (visit % DAYS)} 10:00:00.000`,
    }));
    await app.record(visits);
    const reader = createVisitReader(app.test.store, id, {});
    const groupings: boolean[] = [];
    const slices = Array.from({ length: DAYS }, (_, day) => ({
      fromMs: FROM_MS + day * DAY_MS,
      toMs: FROM_MS + (day + 1) * DAY_MS,
    }));
    const result = await runReplay({
      order: {
        definition: definitionOf(id),
        ...{ tableVersion: 0, ruleNames: [], loop: [], sample: 1_000 },
        period: { fromMs: FROM_MS, toMs: FROM_MS + DAYS * DAY_MS },
      },
      pages: undefined,
      marks: UNKNOWN_VERSIONS,
      startJudging: judgeInPlace,
      reader: {
        ...reader,
        slices: async () => slices,
        groups(slice, facts, reading) {
          groupings.push(reading.isGrouped);
          return reader.groups(slice, facts, reading);
        },
      },
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    return { result, groupings };
  }

  it('are never more than the total, also where some are stored while the replay reads', async () => {
    const id = 'late';
    const store = (count: number) =>
      app.record(
        Array.from({ length: count }, () => ({
          ...{ redirect_id: id, destination_url: DEFAULT, timestamp: '2026-02-01 10:00:00.000' },
        })),
      );
    await store(3);
    const reader = createVisitReader(app.test.store, id, {});
    const result = await runReplay({
      order: {
        definition: definitionOf(id),
        ...{ tableVersion: 0, ruleNames: [], loop: [], sample: 1_000 },
        period: { fromMs: FROM_MS, toMs: FROM_MS + DAY_MS },
      },
      pages: undefined,
      marks: UNKNOWN_VERSIONS,
      startJudging: judgeInPlace,
      reader: {
        ...reader,
        async slices(...period) {
          await store(2);
          return reader.slices(...period);
        },
      },
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    expect(result.visits).toMatchObject({ total: 5, estimatedTotal: 5, replayed: 5 });
    expect(result.versions).toEqual([{ version: null, visits: 5 }]);
  });

  it('are read one by one where hardly two are equal, and count the same', async () => {
    const alike = await replayByDays('alike', () => '/same');
    const different = await replayByDays('different', (visit) => `/${visit}`);
    expect(alike.groupings).toEqual([true, true, true, true, true, true]);
    expect(different.groupings).toEqual([true, true, false, false, false, false]);
    expect(different.result.visits).toEqual(alike.result.visits);
    expect(different.result.visits).toMatchObject({ replayed: 60, changed: 60, estimatedTotal: 90 });
    const [one] = alike.result.changes;
    expect(one).toMatchObject({ visits: 60, share: 1, estimatedVisits: 90 });
    expect(different.result.changes).toHaveLength(60);
    const shares = different.result.changes.map(
      ({ visits, estimatedVisits }) => `${visits} ${estimatedVisits}`,
    );
    expect(new Set(shares)).toEqual(new Set(['1 1', '1 2']));
  });
});

describe('the versions of a replay', () => {
  const ALL = { start: '2026-02-01', end: '2027-12-31' };

  /** Creates two versions for visitors. The second consists of two versions that visitors cannot distinguish. */
  async function changed() {
    const { id, host } = await app.createRedirect(ann);
    const first = await app.servedRuleset();
    await app.createRule(ann, id, { ...RULE, conditions: [] });
    const second = await app.servedRuleset();
    const user = { id: ann.id, email: ann.email, scopes: [], plan: PLANS.business };
    await app.redirects.patch(user, id, { note: 'changes nothing for visitors' });
    // Simulates a change that is not published to data planes.
    await app.api.database.query('DELETE FROM served_versions WHERE redirect_id = $1 AND version = 3', [id]);
    const visit = { redirect_id: id, host, destination_url: DEFAULT, query: '' };
    return { id, visit, first, second };
  }

  /** Sets the times of the changes of a redirect, in order. */
  async function date(id: string, times: readonly string[]) {
    for (const [index, time] of times.entries())
      await app.api.database.transaction(async (tx) => {
        await tx.query('SET LOCAL session_replication_role = replica');
        await tx.query(
          `UPDATE audit_log SET at = $3 WHERE id = (SELECT audit_id FROM redirect_versions WHERE redirect_id = $1
           ORDER BY version LIMIT 1 OFFSET $2)`,
          [id, index, time],
        );
      });
  }

  it('are told by the ruleset that answered, and alike ones by the time', async () => {
    const { id, visit, first, second } = await changed();
    await date(
      id,
      ['2026-01-01', '2026-02-02', '2026-02-03'].map((day) => `${day}T00:00:00Z`),
    );
    const at = (ruleset: string, time: string) => ({
      ...visit,
      ruleset_version: ruleset,
      timestamp: `2026-02-${time}:00:00.000`,
    });
    await app.record([
      // A data plane that was cut off had the first version for a day longer.
      ...times(3, at(first, '02 20')),
      ...times(2, at(second, '02 10')),
      ...times(4, at(second, '03 10')),
    ]);
    const { versions, startsAtVersion, visits } = await app.run(ann, id, ALL);
    expect(versions).toEqual([
      { version: 3, visits: 4 },
      { version: 2, visits: 2 },
      { version: 1, visits: 3 },
    ]);
    expect(visits.total).toBe(9);
    expect(startsAtVersion).toBeNull();
  });

  it('are unknown near a change of which no ruleset is noted', async () => {
    const { id, visit } = await changed();
    await date(
      id,
      ['2026-01-01', '2026-02-02', '2029-01-01'].map((day) => `${day}T00:00:00Z`),
    );
    await app.api.database.query('DELETE FROM served_versions WHERE redirect_id = $1', [id]);
    const at = (time: string) => ({ ...visit, ruleset_version: '', timestamp: `2026-02-${time}.000` });
    await app.record([at('01 12:00:00'), at('01 23:59:30'), at('02 00:00:30'), at('02 00:01:30')]);
    expect((await app.run(ann, id, ALL)).versions).toEqual([
      { version: 2, visits: 1 },
      { version: 1, visits: 1 },
      { version: null, visits: 2 },
    ]);
  });

  it('say that the period begins right at a change, where visits may still have got the version before', async () => {
    const { id, visit, first, second } = await changed();
    await date(id, ['2026-01-01T00:00:00Z', '2026-01-31T23:59:40Z', '2026-02-03T00:00:00Z']);
    const timestamp = '2026-02-01 00:00:00.100';
    await app.record([first, second].map((ruleset) => ({ ...visit, ruleset_version: ruleset, timestamp })));
    expect(await app.run(ann, id, ALL)).toMatchObject({
      startsAtVersion: 2,
      versions: [
        { version: 2, visits: 1 },
        { version: 1, visits: 1 },
      ],
    });
  });
});

describe('the list of replays', () => {
  it('has those of the redirect, newest first, page by page, without their large parts', async () => {
    const id = await visited(times(2));
    const other = await visited(times(1));
    const given = await app.run(ann, id, { draft: { rules: [RULE] } });
    const current = await app.run(ann, id);
    await app.run(ann, other);
    const path = `/redirects/${id}/replays`;
    const first = await app.api.call('GET', `${path}?limit=1`, { token: ann.token });
    expect(first.json.data).toMatchObject([
      {
        id: current.id,
        state: 'finished',
        spec: { source: 'version', version: 1 },
        draft: null,
        version: 1,
        visits: current.visits,
        startedAt: current.startedAt,
      },
    ]);
    expect(first.json.data[0]).not.toHaveProperty('changes');
    const cursor = first.json.page.nextCursor;
    const next = await app.api.call('GET', `${path}?limit=1&cursor=${cursor}`, { token: ann.token });
    expect(next.json.data).toMatchObject([
      { id: given.id, spec: { source: 'draft' }, draft: 'given', visits: { changed: 2 } },
    ]);
    expect(next.json.page.nextCursor).toBeNull();
  });

  it('shows the members of a replay as the replay itself does', async () => {
    const id = await visited(times(1));
    await app.writeDraft(ann, id, { redirect: { statusCode: 307 } } as never);
    const replays = [await app.run(ann, id), await app.run(ann, id, { draft: true })];
    const path = `/redirects/${id}/replays`;
    const { json } = await app.api.call('GET', path, { token: ann.token });
    expect(json.data.map(({ spec }: { spec: object }) => spec)).toMatchObject([
      { source: 'stored_draft' },
      { source: 'version' },
    ]);
    for (const { draft, version, sample, ...shown } of json.data) {
      expect(replays.find((replay) => replay.id === shown.id)).toMatchObject(shown);
    }
  });

  it('answers 304 until a replay is added or goes on', async () => {
    const id = await visited(times(1));
    const path = `/redirects/${id}/replays`;
    const empty = await app.api.call('GET', path, { token: ann.token });
    expect(empty.json.data).toEqual([]);
    const { json } = await app.ask(ann, id);
    const read = (tag: unknown) =>
      app.api.call('GET', path, { token: ann.token, headers: { 'if-none-match': String(tag) } });
    const waiting = await read(empty.headers.etag);
    expect(waiting).toMatchObject({ status: 200, json: { data: [{ id: json.id, state: 'queued' }] } });
    expect((await read(waiting.headers.etag)).status).toBe(304);
    await app.runner.runRound();
    expect((await read(waiting.headers.etag)).json.data).toMatchObject([{ state: 'finished' }]);
  });

  it('is for the owner alone', async () => {
    const id = await visited(times(1));
    expect((await app.api.call('GET', `/redirects/${id}/replays`, { token: bob.token })).status).toBe(403);
  });
});

describe('a replay that does not end by itself', () => {
  it('is canceled before it begins, and stays so', async () => {
    const id = await visited(times(1));
    const { json } = await app.ask(ann, id);
    const path = `/replays/${json.id}`;
    const canceled = await app.api.call('POST', `${path}/cancel`, { token: ann.token });
    expect(canceled.json).toMatchObject({ state: 'canceled' });
    await app.runner.runRound();
    expect((await app.api.call('GET', path, { token: ann.token })).json).toMatchObject({ state: 'canceled' });
  });

  it('begins again elsewhere when its control plane is gone', async () => {
    const id = await visited(times(3));
    const { json } = await app.ask(ann, id);
    const gone = app.createRunner();
    const round = gone.runRound();
    await gone.stop();
    await round;
    await app.runner.runRound();
    const { json: after } = await app.api.call('GET', `/replays/${json.id}`, { token: ann.token });
    expect(after).toMatchObject({ state: 'finished', visits: { unchanged: 3 } });
    expect(PERIOD.start).toBe('2026-01-31');
  });
});
