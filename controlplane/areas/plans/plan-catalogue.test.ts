import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../shared/config/environment.js';
import { chooseProvider } from '../billing/billing-by-provider.js';
import { PLANS } from './default-plans.js';
import { loadPlanCatalogue } from './plan-catalogue.js';
import { planRecord } from './plan-schema.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-plans-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function load(content: unknown, defaultPlan = 'free') {
  const plansFile = path.join(folder, 'plans.json');
  await writeFile(plansFile, typeof content === 'string' ? content : JSON.stringify(content));
  return loadPlanCatalogue({ plansFile, defaultPlan });
}

const free = planRecord(PLANS.free);
const gold = { ...planRecord(PLANS.pro), id: 'gold', tier: 9 };

function retainedFor(analyticsRetentionDays: number) {
  return { ...free.limits, perRedirect: { ...free.limits.perRedirect, analyticsRetentionDays } };
}

describe('the catalogue of plans', () => {
  it('is the built-in one without a file', async () => {
    const catalogue = await loadPlanCatalogue({ plansFile: undefined, defaultPlan: 'pro' });
    expect(catalogue.plans).toEqual([PLANS.free, PLANS.pro, PLANS.business]);
    expect(catalogue.defaultPlan).toBe(PLANS.pro);
  });

  it('takes plans in the form in which the API shows them, ordered by tier', async () => {
    const catalogue = await load({ plans: [{ ...gold, requestsPerMinute: 7 }, free] });
    expect(catalogue.plans.map(planRecord)).toEqual([free, gold]);
    expect(catalogue.plans.map(({ requestsPerMinute }) => requestsPerMinute)).toEqual([300, 7]);
  });

  it('takes -1 for every limit, and any features', async () => {
    const limits = {
      maxRedirects: -1,
      perRedirect: { maxAnalyticsEvents: -1, maxRulesPerRedirect: -1, analyticsRetentionDays: -1 },
    };
    const catalogue = await load({ plans: [{ ...free, limits, features: { carrierPigeons: true } }] });
    expect(catalogue.plans.map(planRecord)).toMatchObject([{ limits, features: { carrierPigeons: true } }]);
  });

  it('falls back to the default plan for one that it has lost', async () => {
    const catalogue = await load({ plans: [free, gold] });
    expect(catalogue.get('pro').id).toBe('free');
    expect(catalogue.find('pro')).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{plans', /not valid JSON/],
    ['no plans', { plans: [] }, /plans must NOT have fewer/],
    ['an unknown member', { plans: [{ ...free, colour: 'red' }] }, /plans\.0 .*colour/],
    ['a missing member', { plans: [{ ...free, pricing: undefined }] }, /plans\.0 .*pricing/],
    [
      'half a cent',
      { plans: [{ ...free, pricing: { ...free.pricing, amount: 0.5 } }] },
      /plans\.0\.pricing\.amount/,
    ],
    [
      'a limit below -1',
      { plans: [{ ...free, limits: { ...free.limits, maxRedirects: -2 } }] },
      /maxRedirects/,
    ],
    [
      'no day of retention',
      { plans: [{ ...free, limits: retainedFor(0) }] },
      /plans\.0\.limits\.perRedirect\.analyticsRetentionDays takes days from 1 to 9999, or -1 for ever/,
    ],
    [
      '28 years of retention',
      { plans: [{ ...free, limits: retainedFor(10_000) }] },
      /takes days from 1 to 9999/,
    ],
    ['half a limit', { plans: [{ ...free, limits: { maxRedirects: 1 } }] }, /plans\.0\.limits .*perRedirect/],
    [
      'a word for a feature',
      { plans: [{ ...free, features: { export: 'yes' } }] },
      /plans\.0\.features\.export must be boolean/,
    ],
    [
      'a list for features',
      { plans: [{ ...free, features: ['export'] }] },
      /plans\.0\.features must be object/,
    ],
    ['no requests a minute', { plans: [{ ...free, requestsPerMinute: 0 }] }, /plans\.0\.requestsPerMinute/],
    ['a list', [free], /the file must be object/],
    ['an id with a blank', { plans: [{ ...free, id: 'a b' }] }, /plans\.0\.id/],
    ['two plans of one id', { plans: [free, free] }, /same id/],
    ['no default plan', { plans: [gold] }, /DEFAULT_PLAN.*gold/],
  ])('refuses a file with %s in one line', async (_what, content, message) => {
    const error: Error = await load(content).then(
      () => expect.fail('it was taken'),
      (refusal) => refusal,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('\n');
  });

  it('refuses a file that is not there', async () => {
    const missing = { plansFile: path.join(folder, 'none.json'), defaultPlan: 'free' };
    await expect(loadPlanCatalogue(missing)).rejects.toThrow(/PLANS_FILE names a file that cannot be read/);
  });
});

describe('who takes the money', () => {
  const stripe = { secretKey: 'sk_test_1', webhookSecret: undefined, apiBase: undefined };
  const unsaid = { provider: undefined, stripe: undefined };
  const databaseUrl = 'postgres://db.example/waymark';

  it.each([
    ['the sandbox, on a laptop', { billing: unsaid, databaseUrl: undefined }, { provider: 'sandbox' }],
    [
      'Stripe, with a key',
      { billing: { provider: undefined, stripe }, databaseUrl },
      { provider: 'stripe', stripe },
    ],
    [
      'the sandbox, when asked for',
      { billing: { provider: 'sandbox', stripe }, databaseUrl },
      { provider: 'sandbox' },
    ],
  ] as const)('is %s', (_what, config, chosen) => {
    expect(chooseProvider(config)).toEqual(chosen);
  });

  it('must be said where there is a database server and no key', () => {
    expect(() => chooseProvider({ billing: unsaid, databaseUrl })).toThrow(
      /^BILLING is required with DATABASE_URL/,
    );
  });
});
