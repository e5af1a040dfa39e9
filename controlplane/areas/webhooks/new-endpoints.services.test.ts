import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { DatabaseUnavailableError } from '../../storage/postgres/database-unavailable.js';
import { emit, findWhetherTaken } from './integrator-events.js';
import { createWebhookSecrets } from './webhook-secrets.js';
import { createWebhookService } from './webhook-service.js';
import { startWebhooksApi, type WebhooksApi } from './webhooks-api.fixture.js';

let area: WebhooksApi;
let user: TestUser;

beforeAll(async () => {
  area = await startWebhooksApi();
});
beforeEach(async () => {
  user = await area.api.createUser();
});
afterAll(() => area.close());

/** Handles events as a change does: first checks whether an endpoint wants them, and stores them last. */
async function changeTogether(tx: Queryable, meanwhile: () => Promise<void>): Promise<void> {
  const isHeard = await findWhetherTaken(tx, [user.id], ['redirect.created']);
  await meanwhile();
  if (isHeard) await emit(tx, user.id, 'redirect.created', {});
}

const eventsOf = async (endpointId: string) => {
  const deliveries = await area.deliveries(user.token, endpointId);
  return deliveries.map(({ eventType }) => eventType);
};

it('no change is committed without its event after the creation of an endpoint was answered', async () => {
  const { database } = area.api;
  let isAnswered = false;
  const { created } = await database.transaction(async (tx) => {
    let created: Promise<{ id: string }> | undefined;
    await changeTogether(tx, async () => {
      created = area.createEndpoint(user.token, '/new', ['redirect.created']) as Promise<{ id: string }>;
      void created.then(() => {
        isAnswered = true;
      });
      await expect
        .poll(() => database.query("SELECT FROM webhook_endpoints WHERE url LIKE '%/new'"))
        .toHaveLength(1);
      // A change that begins now knows the endpoint.
      await database.transaction((other) => changeTogether(other, async () => {}));
    });
    expect(isAnswered, 'while a change without the endpoint is under way').toBe(false);
    return { created: created! };
  });
  const { id } = await created;
  expect(await eventsOf(id)).toEqual(['redirect.created']);
  await database.transaction((tx) => changeTogether(tx, async () => {}));
  expect(await eventsOf(id)).toHaveLength(2);
});

it('nor after an endpoint that gets further events was changed', async () => {
  const { database } = area.api;
  const { id } = await area.createEndpoint(user.token, '/changed', ['rule.created']);
  let isAnswered = false;
  const { changed } = await database.transaction(async (tx) => {
    let changed: Promise<unknown> | undefined;
    await changeTogether(tx, async () => {
      changed = area.api
        .call('PATCH', `/webhook-endpoints/${id}`, {
          token: user.token,
          body: { events: ['redirect.created'] },
        })
        .then(() => {
          isAnswered = true;
        });
      await expect
        .poll(() =>
          database.query(
            "SELECT FROM webhook_endpoints WHERE id = $1 AND 'redirect.created' = ANY (events)",
            [id],
          ),
        )
        .toHaveLength(1);
    });
    expect(isAnswered).toBe(false);
    return { changed };
  });
  await changed;
  await database.transaction((tx) => changeTogether(tx, async () => {}));
  expect(await eventsOf(id)).toEqual(['redirect.created']);
});

it('a new endpoint is answered with its secret, although the database breaks after the commit', async () => {
  const { database } = area.api;
  const breaking: Database = {
    ...database,
    query: () => Promise.reject(new DatabaseUnavailableError(new Error('gone'))),
  };
  const secrets = createWebhookSecrets({ current: Buffer.from('a secret for tests only'), previous: [] });
  const service = createWebhookService({ database: breaking, secrets, allowPrivate: true });
  const { endpoint, secret } = await service.create(
    { id: user.id, email: null },
    { url: area.receiver.url('/breaking'), events: ['redirect.created'] },
  );
  expect(secret).toMatch(/^whsec_/);
  expect(await database.query('SELECT FROM webhook_endpoints WHERE id = $1', [endpoint.id])).toHaveLength(1);
});
