import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandboxBilling } from '../../areas/billing/sandbox/sandbox.js';
import { createPlanAccess } from '../../areas/billing/subscribed-plans.js';
import { PLANS } from '../../areas/plans/default-plans.js';
import { createHitRetention } from '../../areas/plans/hit-retention.js';
import { createPlanCatalogue } from '../../areas/plans/plan-catalogue.js';
import { createRecordingLimits } from '../../areas/plans/recording-limits.js';
import { createDomainRecheck } from '../../areas/redirects/domain-recheck.js';
import { redirectRepository } from '../../areas/redirects/redirect-repository.js';
import { createRedirectRoutes } from '../../areas/redirects/redirect-routes.js';
import { createRedirectService } from '../../areas/redirects/redirect-service.js';
import { createRuleRoutes } from '../../areas/rules/rule-routes.js';
import { createRuleService } from '../../areas/rules/rule-service.js';
import { createWebhooks } from '../../areas/webhooks/webhooks.js';
import { startApi, type TestApi, type TestUser } from '../../http/api.fixture.js';
import { deleteExpired } from '../../http/idempotency/idempotency-store.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import { type RecordedStatements, recordStatements, scannedTables } from './recorded-statements.fixture.js';
import { openTestDatabase, type TestDatabase } from './test-database.fixture.js';

const ROWS = 20_000;
const LARGE_TABLES = [
  'users',
  'tokens',
  'redirects',
  'rules',
  'ruleset_changes',
  'idempotency_keys',
  'webhook_events',
  'webhook_deliveries',
  'subscriptions',
  'transactions',
];

/**
 * ANALYZE needs names of tables. Otherwise it reads the schemas of other tests too, and deadlocks with those that drop
 * theirs.
 */
const ANALYZED_TABLES = [
  ...LARGE_TABLES,
  'ruleset_head',
  'retention_changes',
  'recording_pauses',
  'webhook_endpoints',
];

let test: TestDatabase;
let recorded: RecordedStatements;
let api: TestApi;
let user: TestUser;
let recheck: () => Promise<number>;
/** Rounds of the other periodic jobs, by name. */
let rounds: Readonly<Record<string, () => Promise<unknown>>>;
/** Statements of the publisher, by name. */
let reads: Readonly<Record<string, () => Promise<unknown>>>;

beforeAll(async () => {
  test = await openTestDatabase();
  recorded = recordStatements(test.database);
  const access = createPlanAccess({
    database: recorded.database,
    catalogue: createPlanCatalogue(Object.values(PLANS), 'business'),
    provider: 'sandbox',
    nowMs: Date.now,
  });
  api = await startApi({
    database: recorded.database,
    planOf: () => access.planOf,
    areas: ({ database, logger }) => {
      const outbox = createRulesetOutbox(database);
      const deps = { database, outbox, repository: redirectRepository };
      const service = createRedirectService(deps);
      const verification = {
        verify: () => Promise.reject(new Error('not asked for')),
        recheck: async () => ({ kind: 'alreadyVerified', found: [] }) as const,
      };
      const rules = createRuleService({ database, outbox, redirects: service });
      recheck = createDomainRecheck({ ...deps, verification, logger }).runRound;
      const rulesets = createRulesetRepository(database, access.plansOf);
      const behind = async () => {
        const head = await rulesets.readHead();
        return { ...head, seq: head.seq - 10 };
      };
      reads = {
        readDelta: async () => rulesets.readDelta(await behind(), 100),
        readChangedHosts: async () => rulesets.readChangedHosts(await behind()),
        readPage: () => rulesets.readPage('d500', 100),
        readHosts: () => rulesets.readHosts(['d1.example', 'd2.example', 'nowhere.example']),
      };
      const catalogue = createPlanCatalogue(Object.values(PLANS), 'business');
      const webhooks = createWebhooks({
        database,
        secrets: { current: Buffer.from('a secret for tests only'), previous: [] },
        allowPrivate: false,
        dnsServers: undefined,
        metrics: new Registry(),
        logger,
      });
      const billing = createSandboxBilling({
        database,
        outbox,
        catalogue,
        access,
        emit: async () => undefined,
        countEvents: async () => 0,
        dashboardUrl: undefined,
        corsOrigins: [],
        apiAddress: () => 'http://127.0.0.1',
        logger,
        nowMs: Date.now,
      });
      const findBusy = async () => new Map([1, 2, 3].map((number) => [`r${number}`, 1e9]));
      const limits = { outbox, catalogue, access, findBusy, logger, nowMs: Date.now };
      const extendRetention = async () => {};
      const { upkeep, reconciliation } = billing;
      rounds = {
        limits: createRecordingLimits(limits).runRound,
        retention: createHitRetention({ database, access, extendRetention, logger }).runRound,
        webhooks: webhooks.dispatcher.runRound,
        webhookRetention: webhooks.retention.runRound,
        subscriptions: upkeep.runRound,
        forgetOld: upkeep.forgetOld,
        takeOver: upkeep.takeOver,
        reconcile: () => reconciliation.reconcileAll(AbortSignal.abort()),
        idempotency: () => deleteExpired(database),
      };
      return [
        createRedirectRoutes({
          database,
          service,
          verification,
          usageOf: async () => ({ usage: new Map(), freshUntilMs: 0 }),
        }),
        createRuleRoutes(rules, async () => new Map()),
        ...webhooks.routes,
        ...billing.routes,
      ];
    },
  });
  await seed();
  user = await api.createUser();
  recorded.take();
}, 120_000);
afterAll(async () => {
  await api.close();
  await test.close();
});

async function seed(): Promise<void> {
  await test.database.script(`
    INSERT INTO users (id, email) SELECT 'u' || i, 'u' || i || '@example.com' FROM generate_series(1, ${ROWS}) i;
    INSERT INTO tokens (id, user_id, name, token_hash, scopes)
      SELECT 't' || i, 'u' || i, 'token', sha256(i::text::bytea), '{}' FROM generate_series(1, ${ROWS}) i;
    INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
        query_forwarding, sampling_rate, verification_value, verified_at, next_check_at)
      SELECT 'r' || i, 'u' || 1 + i % 5000, 'd' || i || '.example', 'https://t' || i || '.example', 't' || i || '.example',
        'permanent', false, false, 1, 'value', CASE WHEN i % 5 > 0 THEN now() END,
        CASE WHEN i % 5 = 0 THEN now() + make_interval(secs => i - 50) END FROM generate_series(1, ${ROWS}) i;
    INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by)
      SELECT 'r' || i, 'rule', 'force', '[]', 'AND', '{"type": "redirect", "url": "https://rule.example"}', 0, 'active', 'u1'
      FROM generate_series(1, ${ROWS}) i;
    INSERT INTO ruleset_changes (epoch, seq, host) SELECT epoch, i, 'd' || i || '.example'
      FROM ruleset_head, generate_series(1, ${ROWS}) i;
    UPDATE ruleset_head SET seq = ${ROWS};
    INSERT INTO idempotency_keys (key_hash, body_hash) SELECT sha256(i::text::bytea), 'x' FROM generate_series(1, ${ROWS}) i;
    INSERT INTO webhook_events (id, user_id, type, payload) SELECT 'e' || i, 'u' || i, 'domain.verified', '{}'
      FROM generate_series(1, ${ROWS}) i;
    INSERT INTO subscriptions (id, user_id, provider, plan_id, state, current_period_start, current_period_end,
        cancel_at_period_end, occurred_at, event_id)
      SELECT 's' || i, 'u' || i, 'sandbox', 'pro', 'active', now(), now() + interval '1 month', false, now(), 'e' || i
      FROM generate_series(1, ${ROWS}) i;
    INSERT INTO transactions (id, user_id, subscription_id, plan_id, provider, provider_transaction_id, type, status,
        amount, currency, tax_amount, refunded_amount, occurred_at, event_id, created_at)
      SELECT 'x' || i, 'u' || i, 's' || i, 'pro', 'sandbox', 'p' || i, 'payment', 'succeeded', 1, 'eur', 0, 0, now(), 'e' || i,
        now() FROM generate_series(1, ${ROWS}) i;
    INSERT INTO retention_changes (user_id) SELECT 'u' || i FROM generate_series(1, 5) i;
    INSERT INTO recording_pauses (redirect_id, month, event_limit) SELECT 'r' || i, '2020-01', 1 FROM generate_series(10, 15) i;
    INSERT INTO webhook_endpoints (id, user_id, url, events, secret)
      SELECT 'w' || i, 'u' || i, 'https://hooks.invalid', '{domain.verified}', 'x' FROM generate_series(1, 1000) i;
    INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, next_attempt_at)
      SELECT 'y' || i, 'e' || i, 'w' || 1 + i % 1000, 'delivered', NULL FROM generate_series(1, ${ROWS}) i;
    ANALYZE ${ANALYZED_TABLES.join(', ')};
  `);
}

/** Statements since the last call that read a large table as a whole. */
async function findScans(): Promise<string[]> {
  const found: string[] = [];
  for (const [sql, params] of recorded.take()) {
    const tables = await scannedTables(test.database, sql, params, LARGE_TABLES);
    if (tables.length > 0) found.push(`${tables.join(', ')}: ${sql}`);
  }
  return found;
}

async function ok(method: string, url: string, body?: object) {
  const answer = await api.call(method, url, { token: user.token, ...(body && { body }) });
  expect(answer.status, `${method} ${url}: ${answer.body}`).toBeLessThan(300);
  return answer.json;
}

it('no statement of a route reads a large table as a whole', async () => {
  const pending = await ok('POST', '/add-redirect', {
    fromDomain: 'new.example',
    toDomain: 'https://d1.example',
  });
  const { id } = await ok('POST', '/add-redirect', {
    fromDomain: 'new.localhost',
    toDomain: 'https://d1.example',
  });
  await ok('GET', '/get-redirects/me');
  await ok('GET', `/redirects/${id}`);
  await ok('PUT', `/update/${id}`, { pathForwarding: true });
  await ok('PUT', `/update/${id}`, { toDomain: 'https://d2.example' });
  await ok('GET', '/auth/user');
  await ok('GET', '/payment/billing');
  await ok('GET', '/payment/subscription');
  await ok('GET', '/payment/history');
  const rule = await ok('POST', `/rules/redirect/${id}`, {
    name: 'a rule',
    type: 'force',
    action: { type: 'redirect', url: 'https://d3.example/' },
    status: 'active',
  });
  await ok('GET', `/rules/redirect/${id}`);
  await ok('PUT', `/rules/${rule.rule.id}`, { name: 'another name' });
  await ok('DELETE', `/rules/${rule.rule.id}`);
  const webhook = await ok('POST', '/webhook-endpoints', {
    url: 'https://hooks.example.com',
    events: ['domain.verified'],
  });
  await ok('GET', '/webhook-endpoints');
  await ok('DELETE', `/webhook-endpoints/${webhook.id}`);
  await ok('DELETE', `/delete-redirect/${pending.id}`);
  await ok('DELETE', `/delete-redirect/${id}`);
  expect(await findScans()).toEqual([]);
});

it('no statement of background work and publishing reads a large table as a whole', async () => {
  expect(await recheck()).toBeGreaterThan(0);
  for (const read of Object.values(reads)) await read();
  expect(await findScans()).toEqual([]);
});

it.each([
  'limits',
  'retention',
  'webhooks',
  'webhookRetention',
  'subscriptions',
  'forgetOld',
  'reconcile',
  'idempotency',
])('no statement of a round of the job %s reads a large table as a whole', async (job) => {
  recorded.take();
  await rounds[job]?.();
  expect(await findScans()).toEqual([]);
});

it('the look for another payment provider, once a start, reads subscriptions as a whole and nothing else', async () => {
  recorded.take();
  await rounds.takeOver?.();
  const tables = (await findScans()).map((scan) => scan.split(':')[0]);
  expect(new Set(tables)).toEqual(new Set(['subscriptions']));
});

it('finds a statement that does', async () => {
  const sql = 'SELECT id FROM redirects WHERE to_domain = $1';
  expect(await scannedTables(test.database, sql, ['https://x'], LARGE_TABLES)).toEqual(['redirects']);
});
