import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import { type RunningControlplane, startControlplane } from '../../running-controlplane.fixture.js';
import { type CountedLink, openCountedLink } from '../../storage/postgres/counted-link.fixture.js';
import { createTestSchema } from '../../storage/postgres/test-database.fixture.js';

const TOKEN = `wm_${'t'.repeat(43)}`;
/** Jobs in the background ask the database too. The request itself needs the fewest that are seen. */
const ATTEMPTS = 20;

let schema: Awaited<ReturnType<typeof createTestSchema>>;
let link: CountedLink;
let controlplane: RunningControlplane;

beforeAll(async () => {
  const { DATABASE_URL = '', REDIS_URL = '' } = processEnvironment();
  schema = await createTestSchema(DATABASE_URL);
  link = await openCountedLink(schema.databaseUrl);
  controlplane = await startControlplane({
    DATABASE_URL: link.url,
    REDIS_URL,
    BOOTSTRAP_TOKEN: TOKEN,
    BILLING: 'sandbox',
    DEFAULT_PLAN: 'business',
    ALLOW_LOCALHOST_DOMAINS: 'on',
    RATE_LIMIT_MULTIPLIER: '1000',
  });
});
afterAll(async () => {
  await controlplane?.stop();
  await link?.close();
  await schema?.drop();
});

async function call(method: string, path: string, body: object, headers = {}): Promise<{ id: string }> {
  const response = await fetch(`${controlplane.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}

const toDomain = 'https://destination.example/';
const create = (zone: string, headers = {}) =>
  call('POST', '/redirects', { fromDomain: `${randomUUID()}.${zone}`, toDomain }, headers);

async function fewestTrips(request: () => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let at = 0; at < ATTEMPTS; at += 1) {
    const before = link.roundTrips();
    await request();
    counts.push(link.roundTrips() - before);
  }
  return Math.min(...counts);
}

it('a new redirect takes two round trips to PostgreSQL', async () => {
  expect(await fewestTrips(() => create('example'))).toBe(2);
});

it('a new redirect that is verified at once takes two more, to publish it', async () => {
  // The request does not wait for the COMMIT of its read transaction, which may come at any time.
  const trips = await fewestTrips(() => create('localhost'));
  expect(trips).toBeGreaterThanOrEqual(3);
  expect(trips).toBeLessThanOrEqual(5);
});

it('a new redirect with an Idempotency-Key takes two more', async () => {
  expect(await fewestTrips(() => create('example', { 'Idempotency-Key': randomUUID() }))).toBe(4);
});

it('a change takes two round trips', async () => {
  const { id } = await create('example');
  let count = 0;
  expect(await fewestTrips(() => call('PATCH', `/redirects/${id}`, { note: `note ${count++}` }))).toBe(2);
});

it('a change to another host takes three', async () => {
  const { id } = await create('example');
  const move = () => call('PUT', `/update/${id}`, { toDomain: `https://${randomUUID()}.example/` });
  expect(await fewestTrips(move)).toBe(3);
});
