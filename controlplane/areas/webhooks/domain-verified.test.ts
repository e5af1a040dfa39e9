import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';

let area: RedirectsApi;
beforeAll(async () => {
  area = await startRedirectsApi();
});
afterAll(() => area.close());

/** Creates a user with an endpoint for verified domains. The endpoint has the id of the user. */
async function createListener() {
  const user = await area.api.createUser();
  await area.api.database.query(
    `INSERT INTO webhook_endpoints (id, user_id, url, events, secret)
     VALUES ($1, $1, 'https://api.example.com', '{domain.verified}', '')`,
    [user.id],
  );
  return user;
}

/** Returns the messages to any of the users. */
const messagesTo = (...users: readonly TestUser[]) =>
  area.api.database.query<{ endpoint_id: string; payload: string }>(
    `SELECT endpoint_id, payload FROM webhook_deliveries
     JOIN webhook_events ON webhook_events.id = webhook_deliveries.event_id WHERE endpoint_id = ANY ($1)`,
    [users.map(({ id }) => id)],
  );

test('a domain that is verified is told once, to its owner, when it is', async () => {
  const user = await createListener();
  const other = await createListener();
  const redirect = { fromDomain: 'shop.example', toDomain: 'https://new.example' };
  const { json } = await area.create(user.token, redirect);
  const verify = () =>
    area.api.call('POST', '/verify-domain', { token: user.token, body: { domain: redirect.fromDomain } });
  await verify();
  expect(await messagesTo(user, other)).toEqual([]);

  area.dns.setTxt(json.verification.name, [json.verification.value]);
  await verify();
  await verify();
  const messages = await messagesTo(user, other);
  expect(messages.map(({ endpoint_id }) => endpoint_id)).toEqual([user.id]);
  expect(JSON.parse(messages[0]!.payload)).toMatchObject({
    type: 'domain.verified',
    data: { redirectId: json.id, domain: 'shop.example', verifiedAt: expect.any(String) },
  });
});

test('a name that needs no proof is told when its redirect is created', async () => {
  const user = await createListener();
  const redirect = { fromDomain: 'demo.localhost', toDomain: 'https://new.example' };
  const { json } = await area.create(user.token, redirect);
  await area.api.call('PUT', `/redirects/${json.id}`, { token: user.token, body: { queryForwarding: true } });
  const messages = await messagesTo(user);
  expect(messages.map(({ payload }) => JSON.parse(payload))).toMatchObject([
    {
      type: 'domain.verified',
      data: { redirectId: json.id, domain: 'demo.localhost', verifiedAt: expect.any(String) },
    },
  ]);
});
