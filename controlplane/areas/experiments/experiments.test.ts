import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type HitOptions, visitor } from '../../ingest/hit-batch.fixture.js';
import { eraseHits, extendRetention } from '../analytics/public.js';
import {
  clickIds,
  type Experiment,
  type ExperimentsApi,
  NOW,
  shownVisitor,
  startExperimentsApi,
  timestamp,
  variantsOf,
} from './experiments-api.fixture.js';
import { describeRandomTraffic } from './random-traffic.fixture.js';
import { valueDifference, valueInterval } from './statistics/revenue.js';

let api: ExperimentsApi;
let user: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  api = await startExperimentsApi();
  [user, stranger] = [
    await api.rules.api.createUser({ plan: 'business' }),
    await api.rules.api.createUser({ plan: 'business' }),
  ];
});
afterAll(() => api.close());

const AT_MS = Date.parse('2026-03-10T00:00:00Z');
let visitors = 0;

/** Returns a hit of a new visitor, one millisecond after the previous hit. */
function hitOf({ redirectId, ruleId }: Experiment, variant: string, more: HitOptions = {}): HitOptions {
  visitors += 1;
  return {
    redirect_id: redirectId,
    rule_id: ruleId,
    variant,
    visitor_id: visitor(visitors),
    timestamp: timestamp(visitors),
    status_code: 302,
    ...more,
  };
}

const timeOf = (hit: HitOptions) => Date.parse(`${hit.timestamp!.replace(' ', 'T')}Z`);
const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, n) => make(n));

/** Conversions of hits, each with a new id. */
let orders = 0;
function conversionsOf(hits: readonly HitOptions[], more: object = {}) {
  return hits.map((hit) => {
    orders += 1;
    const clickId = clickIds.of(hit.visitor_id!, timeOf(hit));
    return {
      id: `order-${orders}`,
      clickId,
      goal: 'purchase',
      at: new Date(timeOf(hit) + 60_000).toISOString(),
      ...more,
    };
  });
}

/** Records visitors of each arm. Some of them convert. */
async function play(experiment: Experiment, arms: Readonly<Record<string, readonly [number, number]>>) {
  for (const [variant, [seen, converted]] of Object.entries(arms)) {
    const hits = times(seen, () => hitOf(experiment, variant));
    await api.record(hits);
    if (converted > 0) await api.post(user, experiment.ruleId, conversionsOf(hits.slice(0, converted)));
  }
}

describe('results', () => {
  it('of a period without hits are zeros, and say that there is not enough data', async () => {
    const experiment = await api.createTest(user);
    const { status, json } = await api.results(user, experiment.ruleId, '');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      variants: [
        {
          name: 'A',
          weight: 50,
          visitors: 0,
          conversions: 0,
          rate: 0,
          interval: [0, 1],
          lift: null,
          liftInterval: null,
        },
        { name: 'B', visitors: 0, lift: null, revenue: null },
      ],
      baseline: 'A',
      pValue: 1,
      sampleRatio: { ok: true, pValue: 1 },
      neededVisitors: null,
      verdict: 'not enough data yet',
      segments: [],
      bots: [],
      goals: [],
      goal: null,
      meta: { changedAt: null, unassigned: 0, sampling: { rate: 1, recordedHits: 0, note: null } },
    });
    expect(json.variants[0].probabilityBest).toBeCloseTo(0.5, 6);
  });

  it('name the better variant once that is sure', async () => {
    const experiment = await api.createTest(user);
    await play(experiment, { A: [600, 60], B: [620, 150] });
    const { json } = await api.results(user, experiment.ruleId);
    expect(json).toMatchObject({
      visitors: 1_220,
      verdict: 'B is better',
      sampleRatio: { ok: true },
      goals: [{ goal: 'purchase', conversions: 210 }],
    });
    expect(json.pValue).toBeLessThan(0.001);
    const [a, b] = json.variants;
    expect(a).toMatchObject({ visitors: 600, conversions: 60, rate: 0.1, lift: null, pValue: null });
    expect(b.lift).toBeCloseTo(150 / 620 / 0.1 - 1, 10);
    expect(b.liftInterval[0]).toBeGreaterThan(0);
    expect(b.probabilityBest).toBeGreaterThan(0.999);
    expect(json.neededVisitors).toBeGreaterThan(10_000);
  });

  it('name the baseline when the variant is worse', async () => {
    const experiment = await api.createTest(user);
    await play(experiment, { A: [600, 150], B: [600, 60] });
    const { json } = await api.results(user, experiment.ruleId);
    expect(json.verdict).toBe('A is better');
  });

  it('find no difference when an effect of the wished size would have been found', async () => {
    const experiment = await api.createTest(user);
    await play(experiment, { A: [500, 250], B: [500, 251] });
    const wished = await api.results(user, experiment.ruleId, 'start=2026-03-01&effectPercent=60');
    expect(wished.json.neededVisitors).toBeLessThan(1_000);
    expect(wished.json.verdict).toBe('no difference found');
    const { json } = await api.results(user, experiment.ruleId, 'start=2026-03-01');
    expect(json).toMatchObject({ verdict: 'not enough data yet' });
    expect(json.explanation).toContain('10 %');
  });

  it('raise the alarm when visitors are not shared as the weights say, with likely causes', async () => {
    const experiment = await api.createTest(user);
    await play(experiment, { A: [700, 70], B: [400, 90] });
    const { json } = await api.results(user, experiment.ruleId);
    expect(json.sampleRatio).toMatchObject({ ok: false });
    expect(json.verdict).toMatch(
      /^sample ratio mismatch: .*bots, caches that pin a variant, filtering after assignment/,
    );
  });

  it('have the revenue of a visitor, without an interval of too little data', async () => {
    const experiment = await api.createTest(user);
    const hits = times(4, () => hitOf(experiment, 'A'));
    await api.record(hits);
    await api.post(user, experiment.ruleId, conversionsOf(hits.slice(0, 1), { value: 30 }));
    await api.post(user, experiment.ruleId, conversionsOf(hits.slice(0, 1), { value: 10 }));
    const { json } = await api.results(user, experiment.ruleId);
    expect(json.variants[0]).toMatchObject({ conversions: 1, revenue: { total: 40, perVisitor: 10 } });
    expect(json.variants[0].revenue).toMatchObject({
      interval: null,
      difference: null,
      differenceInterval: null,
    });
    expect(json.variants[1].revenue).toMatchObject({ perVisitor: 0, difference: null });
  });

  it('have intervals of the revenue of a visitor and of its difference once there is enough data', async () => {
    const experiment = await api.createTest(user);
    const shown = { A: times(80, () => hitOf(experiment, 'A')), B: times(80, () => hitOf(experiment, 'B')) };
    await api.record([...shown.A, ...shown.B]);
    for (const [hits, value] of [
      [shown.A.slice(0, 20), 10],
      [shown.A.slice(20, 40), 20],
      [shown.B.slice(0, 40), 40],
    ] as const) {
      await api.post(user, experiment.ruleId, conversionsOf(hits, { value }));
    }
    const { json } = await api.results(user, experiment.ruleId);
    const [a, b] = json.variants.map(({ revenue }: { revenue: object }) => revenue);
    expect(a).toMatchObject({ total: 600, perVisitor: 7.5, difference: null, differenceInterval: null });
    expect(b).toMatchObject({ total: 1_600, perVisitor: 20, difference: 12.5 });
    const values = { visitors: 80, valueSum: 600, valueSquares: 10_000, valueCubes: 180_000 };
    const others = { visitors: 80, valueSum: 1_600, valueSquares: 64_000, valueCubes: 2_560_000 };
    expect(a.interval).toEqual(valueInterval(values, 0.05));
    expect(b.interval).toEqual(valueInterval(others, 0.05));
    expect(b.differenceInterval).toEqual(valueDifference(values, others, 0.05).differenceInterval);
  });

  it('say that hits were sampled, and scale nothing up', async () => {
    const experiment = await api.createTest(user);
    await api.record([hitOf(experiment, 'A', { sampling_rate: 0.25 }), hitOf(experiment, 'B')]);
    const { json } = await api.results(user, experiment.ruleId);
    expect(json.visitors).toBe(2);
    expect(json.meta.sampling).toMatchObject({ rate: 0.25, recordedHits: 2, estimatedTotalHits: 5 });
    expect(json.meta.sampling.note).toContain('not scaled up');
  });

  it('read nothing from before the days that the plan keeps', async () => {
    const experiment = await api.createTest(user);
    await api.record([
      hitOf(experiment, 'A'),
      hitOf(experiment, 'A', { timestamp: '2026-01-05 00:00:00.000' }),
    ]);
    api.retentionDays = 30;
    const { json } = await api.results(user, experiment.ruleId, 'start=2026-01-01');
    api.retentionDays = undefined;
    expect(json.visitors).toBe(1);
    expect(json.meta.period.start).toBe('2026-02-13T00:00:00.000Z');
    expect((await api.results(user, experiment.ruleId, 'start=2026-01-01')).json.visitors).toBe(2);
  });
});

describe('a visit as the goal', () => {
  it('counts in the millisecond of the first visit, unless it is that visit', async () => {
    const experiment = await api.createTest(user);
    const shop = await api.createTest(user);
    const first = hitOf(experiment, 'A', { path: '/thanks' });
    const goal = { visitor_id: first.visitor_id!, timestamp: first.timestamp!, path: '/thanks' };
    const conversions = async ({ host }: Experiment) => {
      const query = `start=2026-03-01&goal=visit:${host}/thanks`;
      return (await api.results(user, experiment.ruleId, query)).json.variants[0].conversions;
    };

    await api.record([hitOf(shop, '', { ...goal, rule_id: 0 }), first]);
    expect([await conversions(experiment), await conversions(shop)]).toEqual([0, 0]);
    await api.record([hitOf(shop, '', { ...goal, rule_id: 0 })]);
    expect([await conversions(experiment), await conversions(shop)]).toEqual([0, 1]);
    await api.record([hitOf(experiment, 'A', goal)]);
    expect([await conversions(experiment), await conversions(shop)]).toEqual([1, 1]);
  });
});

describe('a percentage rule', () => {
  it('compares visitors inside with those outside, by the destination that they were sent to', async () => {
    const { id: redirectId } = await api.rules.createRedirect(user, { redirectType: 'temporary' });
    const rule = await api.rules.createRule(user, redirectId, {
      type: 'percentage',
      action: { type: 'percentage_redirect', url: 'https://default.example/new', percentage: 20 },
    });
    const experiment = { ruleId: rule.id, redirectId, host: '' };
    const destinations = {
      in: [
        'https://default.example/new',
        'https://default.example/new?a=1',
        'https://default.example/new/path',
      ],
      out: [
        'https://default.example/',
        'https://default.example/newer',
        'https://default.example/other?x=/new',
      ],
    };
    for (const urls of Object.values(destinations)) {
      await api.record(urls.map((destination_url) => hitOf(experiment, '', { destination_url })));
    }
    await api.record([
      hitOf(experiment, '', { destination_url: 'https://default.example/new', status_code: 301 }),
    ]);
    const { json } = await api.results(user, rule.id);
    expect(json.variants).toMatchObject([
      { name: 'out', weight: 80, visitors: 4 },
      { name: 'in', weight: 20, visitors: 3 },
    ]);
    expect(json.baseline).toBe('out');
  });
});

describe('a changed experiment', () => {
  const change = (experiment: Experiment, weights: readonly number[], extra: object = {}) =>
    api.rules.api.call('PATCH', `/rules/${experiment.ruleId}`, {
      token: user.token,
      body: { action: { type: 'ab_test', variants: variantsOf(weights), ...extra } },
    });
  /** Moves the changes of a rule into the past, where hits of tests are. */
  const moveChanges = (ruleId: number, changedAt: string) =>
    api.rules.api.database.query('UPDATE experiment_changes SET changed_at = $2 WHERE rule_id = $1', [
      ruleId,
      changedAt,
    ]);

  it('is split where weights or variants changed, and every visitor is in one part', async () => {
    const experiment = await api.createTest(user);
    await change(experiment, [60, 20, 20]);
    await moveChanges(experiment.ruleId, '2026-03-12T00:00:00Z');
    const early = times(10, () => hitOf(experiment, 'A'));
    const again = early
      .slice(0, 3)
      .map((hit) => ({ ...hit, variant: 'C', timestamp: timestamp(5, '2026-03-13') }));
    const late = times(6, (n) =>
      hitOf(experiment, ['A', 'B', 'C'][n % 3]!, { timestamp: timestamp(n, '2026-03-13') }),
    );
    const gone = hitOf(experiment, 'D', { timestamp: timestamp(9, '2026-03-13') });
    await api.record([...early, ...again, ...late, gone]);
    const { json } = await api.results(user, experiment.ruleId);
    expect(json.segments).toMatchObject([
      { start: '2026-03-01T00:00:00.000Z', end: '2026-03-11T23:59:59.999Z', visitors: 10, mixed: 3 },
      { start: '2026-03-12T00:00:00.000Z', end: NOW.toISOString(), visitors: 6 },
    ]);
    expect(json.segments[0].variants.map(({ weight }: { weight: number }) => weight)).toEqual([50, 50]);
    expect(json.variants.map(({ weight }: { weight: number }) => weight)).toEqual([60, 20, 20]);
    expect(json).toMatchObject({
      visitors: 6,
      meta: { changedAt: '2026-03-12T00:00:00.000Z', unassigned: 1 },
    });
    const before = await api.results(user, experiment.ruleId, 'start=2026-03-01&end=2026-03-11');
    expect(before.json).toMatchObject({ segments: [], visitors: 10, mixed: 0 });
    expect(before.json.variants).toHaveLength(2);
    await change(experiment, [10, 90]);
    await change(experiment, [90, 10]);
    await api.rules.api.database.query(
      "UPDATE experiment_changes SET changed_at = '2026-03-20' WHERE rule_id = $1 AND changed_at <> '2026-03-12T00:00:00Z'",
      [experiment.ruleId],
    );
    const later = await api.results(user, experiment.ruleId, `start=2026-03-12&end=${NOW.toISOString()}`);
    expect(later.json.segments).toEqual([]);
    expect(later.json.variants.map(({ weight }: { weight: number }) => weight)).toEqual([60, 20, 20]);
  });

  it('is not split by a change that treats visitors as before', async () => {
    const experiment = await api.createTest(user);
    expect((await change(experiment, [50, 50], { statusCode: 307 })).status).toBe(200);
    await moveChanges(experiment.ruleId, '2026-03-12T00:00:00Z');
    expect((await api.results(user, experiment.ruleId)).json.segments).toEqual([]);
  });

  it('keeps the newest hundred changes', async () => {
    const experiment = await api.createTest(user);
    await api.rules.api.database.query(
      `DO $$ BEGIN FOR n IN 1..105 LOOP
         UPDATE rules SET action = jsonb_set(action, '{note}', to_jsonb(n)) WHERE id = ${experiment.ruleId};
       END LOOP; END $$`,
    );
    const [row] = await api.rules.api.database.query<{ changes: number }>(
      'SELECT count(*)::int AS changes FROM experiment_changes WHERE rule_id = $1',
      [experiment.ruleId],
    );
    expect(row?.changes).toBe(100);
  });
});

describe('conversions', () => {
  let experiment: Experiment;
  let hit: HitOptions;
  beforeAll(async () => {
    experiment = await api.createTest(user);
    hit = hitOf(experiment, 'A');
    await api.record([hit]);
  });
  const shown = () => shownVisitor(user.id, timeOf(hit), hit.visitor_id!);
  const count = async () =>
    (
      await api.test.store.query<{ n: number }>(
        'SELECT count() AS n FROM conversions FINAL WHERE rule_id = {rule:UInt64}',
        { rule: experiment.ruleId },
      )
    )[0]!.n;

  it('count once for each id, however many calls bring them at the same time', async () => {
    const conversions = times(40, (n) => ({
      id: `same-${n}`,
      visitorId: shown(),
      goal: 'purchase',
      value: 1,
    }));
    const calls = await Promise.all(times(6, () => api.post(user, experiment.ruleId, conversions)));
    const sum = (member: string) => calls.reduce((total, { json }) => total + json[member], 0);
    expect([sum('accepted'), sum('duplicates'), sum('unknown')]).toEqual([40, 200, 0]);
    expect(await count()).toBe(40);
    const { json } = await api.results(user, experiment.ruleId);
    expect(json.variants[0].revenue.total).toBe(40);
  });

  it('of unknown visitors are not stored, and are taken later when the visit is known', async () => {
    const late = hitOf(experiment, 'B');
    const conversion = conversionsOf([late]);
    expect((await api.post(user, experiment.ruleId, conversion)).json).toEqual({
      accepted: 0,
      duplicates: 0,
      unknown: 1,
    });
    await api.record([late]);
    expect((await api.post(user, experiment.ruleId, conversion)).json).toEqual({
      accepted: 1,
      duplicates: 0,
      unknown: 0,
    });
  });

  it('are unknown by ids of other owners, months, rules and secrets, and by texts that are no ids', async () => {
    const other = await api.createTest(user);
    const strange = [
      { visitorId: shownVisitor(stranger.id, timeOf(hit), hit.visitor_id!) },
      { visitorId: shownVisitor(user.id, AT_MS - 40 * 86_400_000, hit.visitor_id!) },
      { visitorId: hit.visitor_id },
      { clickId: clickIds.of(hit.visitor_id!, timeOf(hit) + 1) },
      { clickId: 'AAAAAAAAAAAAAAAAAAAAAA' },
      { clickId: 'x' },
    ];
    const conversions = strange.map((join, n) => ({ id: `strange-${n}`, goal: 'purchase', ...join }));
    expect((await api.post(user, experiment.ruleId, conversions)).json).toEqual({
      accepted: 0,
      duplicates: 0,
      unknown: 6,
    });
    const own = conversionsOf([hit]);
    expect((await api.post(user, other.ruleId, own)).json).toMatchObject({ unknown: 1 });
  });

  it('do not count from before the visit, except by the clocks’ difference', async () => {
    const test = await api.createTest(user);
    const [first, second] = [hitOf(test, 'A'), hitOf(test, 'B')];
    await api.record([first, second]);
    await api.post(user, test.ruleId, [
      ...conversionsOf([first], { at: new Date(timeOf(first) - 3_600_000).toISOString() }),
      ...conversionsOf([second], { at: new Date(timeOf(second) - 2_000).toISOString() }),
    ]);
    const { json } = await api.results(user, test.ruleId);
    expect(json.variants).toMatchObject([{ conversions: 0 }, { conversions: 1 }]);
  });

  it.each([
    ['conversions.1.at', { at: '2026-03-15T11:00:00Z', visitorId: 'v' }],
    ['conversions.1.at', { at: 'yesterday', visitorId: 'v' }],
    ['conversions.1.clickId', { visitorId: 'v', clickId: 'c' }],
    ['conversions.1.visitorId', {}],
    ['conversions.1.goal', { visitorId: 'v', goal: 'visit:a' }],
    ['conversions.1.id', { visitorId: 'v', id: 'x'.repeat(201) }],
    ['conversions.1.value', { visitorId: 'v', value: 1e13 }],
  ])('with a bad %s are refused', async (field, members) => {
    const good = { id: 'good', visitorId: 'v', goal: 'purchase' };
    const { status, json } = await api.post(user, experiment.ruleId, [
      good,
      { id: 'bad', goal: 'purchase', ...members },
    ]);
    expect(status).toBe(422);
    expect(json.error).toMatchObject({ code: 'VALIDATION_ERROR', field });
  });

  it('come in calls of 10,000 at most', async () => {
    const conversions = times(10_000, (n) => ({
      id: `many-${n}`,
      clickId: clickIds.of(visitor(n), AT_MS + n),
      goal: 'g',
    }));
    const { status, json } = await api.post(user, experiment.ruleId, conversions);
    expect(status).toBe(200);
    expect(json.unknown + json.accepted).toBe(10_000);
    expect((await api.post(user, experiment.ruleId, [...conversions, conversions[0]!])).status).toBe(422);
  });
});

describe('what is no experiment, or somebody else’s', () => {
  it('is refused with what is accepted', async () => {
    const { id } = await api.rules.createRedirect(user);
    const force = await api.rules.createRule(user, id);
    const everybody = await api.rules.createRule(user, id, {
      type: 'percentage',
      action: { type: 'percentage_redirect', url: 'https://all.example', percentage: 100 },
    });
    for (const rule of [force, everybody]) {
      const { status, json } = await api.results(user, rule.id);
      expect(status).toBe(422);
      expect(json.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'ruleId' });
      expect(json.error.message).toContain('Accepted are rules with the action ab_test');
      expect((await api.post(user, rule.id, [{ id: 'a', visitorId: 'v', goal: 'g' }])).status).toBe(422);
    }
  });

  it('an unknown goal is refused with the goals that are known', async () => {
    const experiment = await api.createTest(user);
    expect((await api.results(user, experiment.ruleId, 'goal=purchase')).status).toBe(200);
    await play(experiment, { A: [1, 1] });
    const { status, json } = await api.results(user, experiment.ruleId, 'goal=purchases');
    expect([status, json.error.field]).toEqual([422, 'goal']);
    expect(json.error.message).toContain('there are some for: purchase.');
    const theirs = await api.createTest(stranger);
    const visit = await api.results(user, experiment.ruleId, `goal=visit:${theirs.host}/`);
    expect([visit.status, visit.json.error.field]).toEqual([422, 'goal']);
  });

  it('a bad period or parameter is refused', async () => {
    const { ruleId } = await api.createTest(user);
    for (const query of [
      'start=soon',
      'start=2026-03-02&end=2026-03-01',
      'windowDays=0',
      'effectPercent=x',
      'goals=a',
    ]) {
      expect((await api.results(user, ruleId, query)).status, query).toBe(400);
    }
  });

  it('is forbidden to strangers, and not found where there is no rule', async () => {
    const { ruleId } = await api.createTest(user);
    expect((await api.results(stranger, ruleId)).status).toBe(403);
    expect((await api.post(stranger, ruleId, [{ id: 'a', visitorId: 'v', goal: 'g' }])).status).toBe(403);
    for (const id of [1, 'x', '99999999999999999999']) expect((await api.results(user, id)).status).toBe(404);
  });
});

describe('erasure', () => {
  const rows = async (ruleId: number) => {
    const stored = await api.test.store.query('SELECT 1 FROM conversions WHERE rule_id = {rule:UInt64}', {
      rule: ruleId,
    });
    const ids = await api.rules.api.database.query('SELECT 1 FROM conversion_ids WHERE rule_id = $1', [
      ruleId,
    ]);
    return [stored.length, ids.length];
  };

  it('conversions go with their rule, and with the redirect when it cannot be restored any more', async () => {
    const kept = await api.createTest(user);
    const erased = [await api.createTest(user), await api.createTest(user)] as const;
    for (const experiment of [kept, ...erased]) await play(experiment, { A: [3, 3] });
    await api.rules.api.call('DELETE', `/rules/${erased[0].ruleId}`, { token: user.token });
    await api.rules.api.database.query('DELETE FROM redirects WHERE id = $1', [erased[1].redirectId]);
    await api.upkeep.runRound();
    await expect
      .poll(async () => Promise.all(erased.map(({ ruleId }) => rows(ruleId))))
      .toEqual([
        [0, 0],
        [0, 0],
      ]);
    expect(await rows(kept.ruleId)).toEqual([3, 3]);
    expect(
      await api.rules.api.database.query('SELECT 1 FROM conversion_sets WHERE rule_id = $1', [
        erased[0].ruleId,
      ]),
    ).toEqual([]);
  });

  it('conversions go with an account', async () => {
    const experiment = await api.createTest(user);
    await play(experiment, { A: [2, 2] });
    await eraseHits(api.test.store, [experiment.redirectId]);
    await expect.poll(async () => (await rows(experiment.ruleId))[0]).toBe(0);
  });

  it('conversions are kept longer when the plan becomes a longer one', async () => {
    const experiment = await api.createTest(user);
    api.retentionDays = 400;
    await play(experiment, { A: [2, 2] });
    api.retentionDays = undefined;
    await extendRetention(api.test.store, [experiment.redirectId], 0);
    const days = async () =>
      api.test.store.query(
        'SELECT DISTINCT retention_days AS days FROM conversions WHERE rule_id = {rule:UInt64}',
        {
          rule: experiment.ruleId,
        },
      );
    await expect.poll(days).toEqual([{ days: 0 }]);
  });

  it('ids go when the plan keeps the conversion no longer', async () => {
    const experiment = await api.createTest(user);
    api.retentionDays = 400;
    await play(experiment, { A: [2, 2] });
    api.retentionDays = undefined;
    await api.rules.api.database.query(
      "UPDATE conversion_ids SET expires_at = now() - interval '1 day' WHERE rule_id = $1 AND expires_at IS NOT NULL",
      [experiment.ruleId],
    );
    await api.upkeep.runRound();
    expect((await rows(experiment.ruleId))[1]).toBe(0);
  });
});

describeRandomTraffic(() => api);
