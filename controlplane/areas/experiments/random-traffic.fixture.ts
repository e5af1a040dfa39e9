import { beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { visitor } from '../../ingest/hit-batch.fixture.js';
import {
  clickIds,
  type Experiment,
  type ExperimentsApi,
  NOW,
  shownVisitor,
} from './experiments-api.fixture.js';
import {
  type NaiveConversion,
  type NaiveHit,
  type NaiveQuestion,
  naiveResults,
} from './naive-results.fixture.js';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 2, 1);
const PATHS = ['/', '/thanks', '/thanks/now', '/thanksgiving', '/cart'];
const GOALS = ['purchase', 'signup'];

let api: ExperimentsApi;
let user: TestUser;
let tested: Experiment;
let shop: Experiment;
const hits: NaiveHit[] = [];
const conversions: NaiveConversion[] = [];

/** Linear congruential generator: the traffic is the same each time. */
let state = 20_260_315;
function random(below: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
}

function randomHit(): NaiveHit {
  const isOfTest = random(3) > 0;
  return {
    redirectId: isOfTest ? tested.redirectId : shop.redirectId,
    ruleId: isOfTest ? (random(8) === 0 ? 7 : tested.ruleId) : 0,
    variant: isOfTest ? ['A', 'B', 'C'][random(3)]! : '',
    visitor: visitor(1 + random(120)),
    // No two hits of a visitor are at the same time.
    atMs: FIRST_MS + random(14 * DAY_MS),
    isBot: random(10) === 0,
    path: PATHS[random(PATHS.length)]!,
    status: random(15) === 0 ? [404, 410, 508][random(3)]! : 302,
  };
}

/** Posts conversions in several calls, some of them twice, by shown ids and by click ids. */
async function postRandomConversions(): Promise<void> {
  const ofTest = hits.filter(({ ruleId }) => ruleId === tested.ruleId);
  for (let call = 0; call < 6; call += 1) {
    const posted = Array.from({ length: 60 }, () => {
      const hit = ofTest[random(ofTest.length)]!;
      const conversion: NaiveConversion = {
        id: `order ${random(250)}`,
        visitor: hit.visitor,
        goal: GOALS[random(2)]!,
        atMs: Math.min(NOW.getTime(), hit.atMs + random(3 * DAY_MS)),
        value: random(3) === 0 ? 0 : random(10_000) / 100,
      };
      const join =
        random(2) === 0
          ? { visitorId: shownVisitor(user.id, hit.atMs, hit.visitor) }
          : { clickId: clickIds.of(hit.visitor, hit.atMs) };
      return { conversion, join };
    });
    const before = new Set(conversions.map(({ id }) => id));
    const { json } = await api.post(
      user,
      tested.ruleId,
      posted.map(({ conversion: { id, goal, value, atMs }, join }) => ({
        ...{ id, goal, value, at: new Date(atMs).toISOString() },
        ...join,
      })),
    );
    for (const { conversion } of posted) conversions.push(conversion);
    const fresh = new Set(posted.map(({ conversion }) => conversion.id).filter((id) => !before.has(id)));
    expect(json).toEqual({ accepted: fresh.size, duplicates: 60 - fresh.size, unknown: 0 });
  }
}

const iso = (timeMs: number) => new Date(timeMs).toISOString();
const isPrefix = (prefix: string) => (path: string) => path.startsWith(prefix);

/** Compares results of random traffic with a naive reader of hits. */
export function describeRandomTraffic(apiOf: () => ExperimentsApi): void {
  describe('random traffic', () => {
    beforeAll(async () => {
      api = apiOf();
      user = await api.rules.api.createUser();
      tested = await api.createTest(user, [40, 30, 30]);
      shop = await api.createTest(user);
      for (let n = 0; n < 900; n += 1) hits.push(randomHit());
      await api.record(
        hits.map((hit) => ({
          redirect_id: hit.redirectId,
          rule_id: hit.ruleId,
          variant: hit.variant,
          visitor_id: hit.visitor,
          timestamp: new Date(hit.atMs).toISOString().replace('T', ' ').replace('Z', ''),
          is_bot: hit.isBot ? (1 as const) : (0 as const),
          path: hit.path,
          status_code: hit.status,
        })),
      );
      await postRandomConversions();
    });

    const goals: readonly (readonly [string, string, () => NaiveQuestion['goal']])[] = [
      ['any posted conversion', '', () => ({ name: undefined })],
      ['posted purchases', 'goal=purchase', () => ({ name: 'purchase' })],
      [
        'a visit to one path',
        'goal=visit:HOST/thanks',
        () => ({ redirectId: shop.redirectId, matches: (path) => path === '/thanks' }),
      ],
      [
        'a visit below a path',
        'goal=visit:HOST/thanks*',
        () => ({ redirectId: shop.redirectId, matches: isPrefix('/thanks') }),
      ],
      [
        'a visit to a host',
        'goal=visit:HOST',
        () => ({ redirectId: shop.redirectId, matches: isPrefix('/') }),
      ],
      [
        'a visit of the same redirect',
        'goal=visit:OWN/cart',
        () => ({ redirectId: tested.redirectId, matches: (path) => path === '/cart' }),
      ],
    ];
    const periods = [
      [FIRST_MS, FIRST_MS + 14 * DAY_MS - 1],
      [FIRST_MS + 3.3 * DAY_MS, FIRST_MS + 9.7 * DAY_MS],
    ] as const;

    const asked = [
      [periods[0], false, undefined],
      [periods[0], true, 2],
      [periods[1], true, undefined],
      [periods[1], false, 2],
    ] as const;

    it.each(goals)('is counted as a naive reader of hits counts it: %s', async (_, goal, naiveGoal) => {
      for (const [[startMs, endMs], includeBots, windowDays] of asked) {
        const query = [
          goal.replace('HOST', shop.host).replace('OWN', tested.host),
          `start=${iso(startMs)}&end=${iso(endMs)}&includeBots=${includeBots}`,
          windowDays === undefined ? '' : `windowDays=${windowDays}`,
        ].filter(Boolean);
        const { status, json } = await api.results(user, tested.ruleId, query.join('&'));
        expect(status, JSON.stringify(json)).toBe(200);
        const byDefault = goal.startsWith('goal=visit') ? 7 * DAY_MS : 1e15;
        const wanted = naiveResults(
          {
            ...{ ruleId: tested.ruleId, redirectId: tested.redirectId, startMs, endMs, includeBots },
            windowMs: windowDays === undefined ? byDefault : windowDays * DAY_MS,
            goal: naiveGoal(),
          },
          hits,
          conversions,
        );
        for (const variant of json.variants) {
          const arm = wanted.get(variant.name)!;
          expect(variant).toMatchObject({
            visitors: arm.visitors,
            mixed: arm.mixed,
            conversions: arm.conversions,
            rate: arm.conversions / arm.visitors,
          });
          if (variant.revenue !== null) expect(variant.revenue.total).toBeCloseTo(arm.total, 6);
        }
        expect(json.variants.map(({ name }: { name: string }) => name)).toEqual(['A', 'B', 'C']);
        expect(json.visitors).toBe([...wanted.values()].reduce((sum, arm) => sum + arm.visitors, 0));
      }
    });

    it('shows bots by variant, whether they count or not', async () => {
      for (const includeBots of [false, true]) {
        const { json } = await api.results(
          user,
          tested.ruleId,
          `start=2026-03-01&includeBots=${includeBots}`,
        );
        for (const { variant, hits: botHits, visitors } of json.bots) {
          const bots = hits.filter(
            (hit) =>
              hit.isBot && hit.variant === variant && hit.ruleId === tested.ruleId && hit.status === 302,
          );
          expect(botHits).toBe(bots.length);
          expect(visitors).toBe(new Set(bots.map((bot) => bot.visitor)).size);
        }
        expect(json.bots).toHaveLength(3);
      }
    });
  });
}
