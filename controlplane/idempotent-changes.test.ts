import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImportService } from './areas/imports/import-service.js';
import { createStoreUpload } from './areas/imports/import-upload.js';
import { createUploadRoutes } from './areas/imports/upload-routes.js';
import { createOperator } from './areas/operator/operator.js';
import { createPathRoutes } from './areas/paths/path-routes.js';
import { createPathService } from './areas/paths/path-service.js';
import { createPathVersions } from './areas/paths/path-versions.js';
import { pathTable } from './areas/paths/public.js';
import { createVersionRoutes } from './areas/paths/version-routes.js';
import { operationTable, releaseDomain } from './areas/redirects/public.js';
import { createRedirectService } from './areas/redirects/redirect-service.js';
import { type RedirectsApi, startRedirectsApi } from './areas/redirects/redirects-api.fixture.js';
import { createRuleRoutes } from './areas/rules/rule-routes.js';
import { createRuleService } from './areas/rules/rule-service.js';
import { createWebhooks } from './areas/webhooks/public.js';
import type { ApiAnswer, TestUser } from './http/api.fixture.js';
import { createMortalStore } from './http/idempotency/mortal-store.fixture.js';
import { readWholeDocument } from './openapi-document.fixture.js';
import { createEpochRoutes } from './publishing/epoch-routes.js';
import { createPublicationGuard } from './publishing/publication-guard.js';
import { createRulesetHistory } from './publishing/ruleset-history.js';

const secrets = { current: Buffer.from('a secret for tests only'), previous: [] };
const mortal = createMortalStore(() => area.api.database, secrets);
let area: RedirectsApi;
let user: TestUser;
let operator: string;
let redirectId: string;
let ruleId: number;
let endpointId: string;
beforeAll(async () => {
  area = await startRedirectsApi(
    ({ database, outbox, mails, accounts, logger }) => {
      const redirects = createRedirectService({ database, outbox });
      const rules = createRuleService({ database, outbox, redirects });
      const paths = createPathService({ database, outbox, redirects });
      const unused = () => Promise.reject(new Error('not used here'));
      const test = { live: unused, staged: unused, draft: unused };
      const versions = createPathVersions({ database, outbox, redirects });
      return [
        {
          jobs: [],
          routes: [
            createRuleRoutes(rules, async () => new Map()),
            createPathRoutes({ service: paths, test, hitsOf: async () => new Map() }),
            createVersionRoutes({ versions, test }),
            createUploadRoutes({
              store: createStoreUpload(database, { redirects: operationTable, paths: pathTable }),
              service: createImportService(database),
              redirects,
              pathOptionsOf: unused,
            }),
          ],
        },
        createWebhooks({ database, secrets, allowPrivate: true, metrics: new Registry(), logger }),
        createOperator({
          database,
          outbox,
          mails,
          logger,
          isOperator: accounts.isOperator,
          standingPasses: accounts.standingPasses,
          onStandingChanged: () => undefined,
          releaseDomain,
        }),
        {
          jobs: [],
          routes: [
            createEpochRoutes({
              guard: createPublicationGuard({
                history: createRulesetHistory(database),
                acceptsAnyLoss: false,
                logger,
              }),
              isOperator: accounts.isOperator,
              recordEpoch: async () => undefined,
            }),
          ],
        },
      ];
    },
    { app: { idempotency: mortal.store } },
  );
  operator = (await area.api.accounts.bootstrap({ generate: true })).token ?? '';
  user = await area.api.createUser({ plan: 'business' });
  redirectId = (await call('/redirects', { fromDomain: 'first.example', toDomain: 'https://a.example' })).json
    .id;
  ruleId = (await call(`/redirects/${redirectId}/rules`, RULE)).json.rule.id;
  endpointId = (await call('/webhook-endpoints', ENDPOINT)).json.id;
  await call('/redirects', { fromDomain: 'sold.localhost', toDomain: 'https://a.example' });
});
afterAll(() => area.close());

const RULE = { name: 'r', type: 'force', action: { type: 'redirect', url: 'https://b.example/' } };
const ENDPOINT = { url: 'https://hooks.example.com/', events: ['domain.verified'] };
const call = (url: string, body: object | undefined, key?: string, token = user.token): Promise<ApiAnswer> =>
  area.api.call('POST', url, {
    token,
    ...(body && { body }),
    ...(key && { headers: { 'idempotency-key': key } }),
  });
const rowsOf = async (table: string) => {
  const [row] = await area.api.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table}`,
  );
  return row?.count ?? 0;
};
/** Lets the reservations of killed processes end. */
const passReservations = () =>
  area.api.database.query("UPDATE idempotency_keys SET created_at = created_at - interval '61 seconds'");

/** Operations that store their answer with their change. Those marked by a test are killed between the two below. */
const KEPT = [
  'POST /add-redirect',
  'POST /redirects',
  'POST /redirects/bulk',
  'POST /rules/redirect/{redirectId}',
  'POST /redirects/{id}/rules',
  'POST /rules/{ruleId}/duplicate',
  'POST /redirects/{id}/paths',
  'POST /redirects/{id}/paths/staged/publish',
  'POST /redirects/{id}/paths/restore',
  'POST /imports',
  // Tested with the replays.
  'POST /redirects/{id}/replay',
  'POST /auth/tokens',
  'POST /webhook-endpoints',
  'POST /webhook-endpoints/{id}/rotate-secret',
  'POST /admin/takedowns',
  'POST /admin/domains/{domain}/release',
  'POST /admin/new-epoch',
];

/** Operations that may be repeated after a crash, with the effect of a repetition. */
const REPEATABLE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['/verify-domain', '/verify-domains'].map((path) => [`POST ${path}`, 'looks the proof up again']),
  ),
  'POST /redirects/{id}/restore': 'answers the live redirect',
  'POST /redirects/{id}/draft/publish': 'answers that the draft is gone',
  'POST /redirects/{id}/versions/{n}/rollback': 'makes the state current that is current',
  'POST /admin/users/{id}/suspend': 'changes nothing',
  'POST /admin/users/{id}/resume': 'changes nothing',
  'POST /imports/{id}/cancel': 'changes nothing',
  'POST /replays/{id}/cancel': 'changes nothing',
  'POST /certificates/{host}/retry': 'asks for an attempt that is due already',
  'POST /experiments/{ruleId}/conversions': 'counts each id once',
  'POST /webhook-endpoints/{id}/test': 'sends a test once more',
  'POST /webhook-deliveries/{id}/resend': 'sends an event with the same id once more',
  'POST /auth/user/restore': 'changes nothing',
  'POST /payment/checkout': 'the provider has the key',
  'POST /payment/subscription/cancel': 'cancels what is cancelled',
  'POST /payment/subscription/reactivate': 'answers that there is nothing to reactivate',
  'POST /payment/portal': 'opens another session of the portal',
  'POST /webhooks/stripe': 'knows the id of the event',
  ...Object.fromEntries(
    [
      '/rules/redirect/{redirectId}/test',
      '/redirects/{id}/paths/test',
      '/redirects/{id}/paths/staged/test',
      '/redirects/{id}/draft/test',
      '/redirects/{id}/examples/run',
      '/redirects/{id}/explain',
    ].map((path) => [`POST ${path}`, 'changes nothing']),
  ),
  ...Object.fromEntries(
    ['signup', 'login', 'email/verify', 'email/resend', 'session', 'session/code', 'session/token'].map(
      (path) => [`POST /auth/${path}`, 'stores no answer, because it holds a secret'],
    ),
  ),
  ...Object.fromEntries(
    ['change', 'forgot', 'reset', 'set'].map((path) => [
      `POST /auth/password/${path}`,
      'has a password or a mail',
    ]),
  ),
};

it('every POST is known to keep its answer with its change, or to be repeatable', async () => {
  const { paths } = JSON.parse(await readWholeDocument());
  const operations = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    'post' in methods ? [`POST ${path}`] : [],
  );
  expect([...KEPT, ...Object.keys(REPEATABLE)].sort()).toEqual(operations.sort());
});

describe('a change whose process is killed between the commit and the answer', () => {
  const to = 'https://new.example';
  it.each<[string, string, () => [url: string, body: object | undefined, token?: string]]>([
    ['POST /add-redirect', 'redirects', () => ['/add-redirect', { fromDomain: 'a.example', toDomain: to }]],
    ['POST /redirects', 'redirects', () => ['/redirects', { fromDomain: '*.b.example', toDomain: to }]],
    [
      'POST /redirects/bulk',
      'redirects',
      () => ['/redirects/bulk', { operations: [{ op: 'create', fromDomain: 'c.example', toDomain: to }] }],
    ],
    [
      'POST /redirects/bulk?mode=best_effort',
      'redirects',
      () => [
        '/redirects/bulk?mode=best_effort',
        { operations: [{ op: 'create', fromDomain: 'd.example', toDomain: to }] },
      ],
    ],
    ['POST /rules/redirect/:redirectId', 'rules', () => [`/rules/redirect/${redirectId}`, RULE]],
    ['POST /redirects/:id/rules', 'rules', () => [`/redirects/${redirectId}/rules`, RULE]],
    ['POST /rules/:ruleId/duplicate', 'rules', () => [`/rules/${ruleId}/duplicate`, undefined]],
    [
      'POST /redirects/:id/paths',
      'path_entries',
      () => [`/redirects/${redirectId}/paths`, { source: '/a', destination: to }],
    ],
    ['POST /auth/tokens', 'tokens', () => ['/auth/tokens', { name: 'a token' }]],
    ['POST /webhook-endpoints', 'webhook_endpoints', () => ['/webhook-endpoints', ENDPOINT]],
    [
      'POST /webhook-endpoints/:id/rotate-secret',
      'webhook_endpoints',
      () => [`/webhook-endpoints/${endpointId}/rotate-secret`, undefined],
    ],
    [
      'POST /admin/takedowns',
      'takedowns',
      () => ['/admin/takedowns', { destinationHost: 'evil.example', reason: 'phishing' }, operator],
    ],
    [
      'POST /admin/domains/:domain/release',
      'operator_log',
      () => ['/admin/domains/sold.localhost/release', undefined, operator],
    ],
    ['POST /admin/new-epoch', 'ruleset_changes', () => ['/admin/new-epoch', undefined, operator]],
  ])('is not repeated: %s', async (name, table, requestOf) => {
    const [url, body, token] = requestOf();
    mortal.dies = true;
    const first = await call(url, body, name.replaceAll(' ', ''), token);
    mortal.dies = false;
    expect(first.status, first.body).toBeLessThan(300);
    const count = await rowsOf(table);
    await passReservations();
    const again = await call(url, body, name.replaceAll(' ', ''), token);
    expect(again.body).toBe(first.body);
    expect(again.status).toBe(first.status);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await rowsOf(table)).toBe(count);
  });

  it('is not repeated after several transactions, of which the last one holds the answer', async () => {
    const operations = Array.from({ length: 1_500 }, (_, at) => ({
      op: 'create',
      fromDomain: `many-${at}.example`,
      toDomain: to,
    }));
    const request = () => call('/redirects/bulk?mode=best_effort', { operations }, 'many');
    mortal.dies = true;
    const first = await request();
    mortal.dies = false;
    expect(first.json.summary.created).toBe(1_500);
    await passReservations();
    expect((await request()).body).toBe(first.body);
  });

  it('exchanges tables of paths once', async () => {
    const put = (path: string, source: string) =>
      area.api.call('PUT', `/redirects/${redirectId}/paths${path}`, {
        token: user.token,
        body: { entries: [{ source, destination: to }] },
      });
    const sources = async () => {
      const { json } = await area.api.call('GET', `/redirects/${redirectId}/paths`, { token: user.token });
      return json.data.map(({ source }: { source: string }) => source);
    };
    await put('', '/live');
    await put('/staged', '/staged');
    for (const [path, expected] of [
      ['staged/publish', '/staged'],
      ['restore', '/live'],
    ] as const) {
      const request = () => call(`/redirects/${redirectId}/paths/${path}`, undefined, path);
      mortal.dies = true;
      const first = await request();
      mortal.dies = false;
      expect(first.status, first.body).toBe(200);
      await passReservations();
      expect((await request()).body).toBe(first.body);
      expect(await sources()).toEqual([expected]);
    }
  });

  it('imports a file once', async () => {
    const request = () =>
      area.api.call('POST', '/imports?kind=redirects', {
        token: user.token,
        body: `fromDomain,toDomain\nimported.example,${to}`,
        headers: { 'content-type': 'text/csv', 'idempotency-key': 'import' },
      });
    mortal.dies = true;
    const first = await request();
    mortal.dies = false;
    expect(first.status, first.body).toBe(202);
    await passReservations();
    const again = await request();
    expect([again.status, again.body]).toEqual([202, first.body]);
    // The file of the retry is deleted after its answer.
    await expect.poll(() => rowsOf('imports')).toBe(1);
  });

  it('can be carried out again when nothing was committed', async () => {
    mortal.dies = true;
    await call('/redirects', { fromDomain: 'first.example', toDomain: to }, 'refused');
    mortal.dies = false;
    await passReservations();
    const { status } = await call('/redirects', { fromDomain: 'first.example', toDomain: to }, 'refused');
    expect(status).toBe(422);
  });
});
