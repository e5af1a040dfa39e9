import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { exchange, request } from '../../dataplane/http/raw-client.fixture.js';
import { childrenOf, isRunning } from './crash-processes.fixture.js';
import { startVisitors, type Visitors } from './crash-traffic.fixture.js';
import { callApi, type Role, type Servers, startRole, startServers } from './roles.fixture.js';

/**
 * Hits recorded less than one flush interval (250 ms) before a crash may be lost. A busy machine may need twice as
 * long.
 */
const CRASH_WINDOW_MS = 500;
const SOON = { timeout: 60_000, interval: 50 };
/** A broker waits this long for a killed member of the group before it assigns its partitions to others. */
const AFTER_TAKE_OVER = { timeout: 60_000, interval: 100 };

interface Stats {
  readonly data: { readonly totalHits: number };
  readonly meta: { readonly delivery: { readonly duplicated: number; readonly lost: number } };
}

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
}, 120_000);
afterAll(() => servers?.close());

const apiAddress = () => `http://127.0.0.1:${servers.environment.API_PORT}`;
const redirectAddress = () => `http://127.0.0.1:${servers.environment.REDIRECT_PORT}`;
const adminAddress = () => `http://127.0.0.1:${servers.environment.ADMIN_PORT}`;
const api = <T>(method: string, url: string, body?: unknown) => callApi<T>(apiAddress(), method, url, body);

/** Starts a role for one test. Cleans up even if the test fails. */
async function startForTest(name: Parameters<typeof startRole>[0], extra = {}): Promise<Role> {
  const role = await startRole(name, { ...servers.environment, ...extra });
  onTestFinished(() => void role.process.kill('SIGKILL'));
  return role;
}

/** Starts one of each, and waits until both workers of the data plane have a ruleset. */
async function startAll() {
  const roles = await Promise.all([
    startForTest('controlplane'),
    startForTest('dataplane', { REDIRECT_WORKERS: '2' }),
    startForTest('ingest'),
  ]);
  await vi.waitFor(
    async () => expect((await fetch(`${adminAddress()}/readyz`)).status, roles[1].output()).toBe(200),
    SOON,
  );
  return roles;
}

async function createRedirect(host: string): Promise<string> {
  const created = await api<{ id: string }>('POST', '/add-redirect', {
    fromDomain: host,
    toDomain: 'https://destination.example',
    redirectType: 'temporary',
  });
  expect(created.status).toBe(201);
  await vi.waitFor(() => expectFromAll(host, '/', 'https://destination.example'), SOON);
  return created.body.id;
}

/** Visits over so many connections that every worker almost certainly gets some of them. */
async function expectFromAll(host: string, target: string, location: string): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 30 }, () => visit(host, target)));
  for (const { headers } of answers) expect(headers.location).toContain(location);
}

/** Number of `visit` calls by host. The calls that check whether a host is served also leave hits. */
const visitsOf = new Map<string, number>();

const visit = (host: string, target: string) => {
  visitsOf.set(host, (visitsOf.get(host) ?? 0) + 1);
  return exchange(Number(servers.environment.REDIRECT_PORT), request(target, host));
};

async function statsOf(redirectId: string): Promise<Stats> {
  return (await api<Stats>('GET', `/analytics/redirect/${redirectId}/stats/basic`)).body;
}

/** Ends roles as their supervisor does: SIGTERM to all at the same time, and SIGKILL after 10 s. */
async function endInOrder(roles: readonly Role[]): Promise<void> {
  const askedAtMs = performance.now();
  for (const [index, code] of (await Promise.all(roles.map((role) => role.end('SIGTERM')))).entries()) {
    expect(code, roles[index]?.output()).toBe(0);
  }
  expect(performance.now() - askedAtMs).toBeLessThan(10_000);
}

const answersAtLeast = (visitors: Visitors, more: number) => {
  const soFar = visitors.answeredAtMs.length;
  return vi.waitFor(() => expect(visitors.answeredAtMs.length).toBeGreaterThan(soFar + more), SOON);
};

test('a redirect, its rule and its visits go all the way through real servers', {
  timeout: 120_000,
}, async () => {
  const roles = await startAll();
  const [, dataplane, ingest] = roles;
  const id = await createRedirect('whole.localhost');
  const rule = await api('POST', `/rules/redirect/${id}`, {
    name: 'To the app',
    type: 'force',
    status: 'active',
    conditions: [{ attribute: 'url_path', operator: 'starts_with', value: '/app' }],
    action: { type: 'redirect', url: 'https://app.example' },
  });
  expect(rule.status).toBe(201);
  await vi.waitFor(() => expectFromAll('whole.localhost', '/app', 'https://app.example'), SOON);

  const before = (await statsOf(id)).data.totalHits;
  for (let visits = 0; visits < 20; visits += 1) await visit('whole.localhost', '/app');
  await vi.waitFor(async () => {
    const output = roles.map((role) => role.output()).join('\n');
    expect((await statsOf(id)).data.totalHits, output).toBeGreaterThanOrEqual(before + 20);
  }, SOON);
  for (const address of [apiAddress(), adminAddress(), ingest.address('Health, metrics')]) {
    expect((await fetch(`${address}/readyz`)).status, address).toBe(200);
    expect((await fetch(`${address}/metrics`)).status, address).toBe(200);
  }
  expect(childrenOf(dataplane.pid)).toHaveLength(2);

  await endInOrder(roles);
});

test('the data-plane processes are replaced in the middle of traffic without a refused connection', {
  timeout: 120_000,
}, async () => {
  const roles = await startAll();
  const [, dataplane] = roles;
  const id = await createRedirect('rolling.localhost');
  const former = childrenOf(dataplane.pid);
  const visitors = startVisitors({ redirectAddress: redirectAddress() }, 'rolling.localhost');
  await answersAtLeast(visitors, 300);

  dataplane.process.kill('SIGUSR2');
  await vi.waitFor(() => expect(former.filter(isRunning)).toEqual([]), SOON);
  await answersAtLeast(visitors, 300);
  await visitors.stop();

  expect(childrenOf(dataplane.pid)).toHaveLength(2);
  expect(visitors.outcomes).toMatchObject({ refused: 0, cut: 0 });
  expect(visitors.wrong).toEqual([]);
  await vi.waitFor(async () => {
    expect((await statsOf(id)).data.totalHits).toBeGreaterThanOrEqual(visitors.answeredAtMs.length);
  }, SOON);
  await endInOrder(roles);
});

test('every hit is stored once, whatever is killed in the middle of traffic', {
  timeout: 180_000,
}, async () => {
  const [controlplane, dataplane, ingest] = await startAll();
  const id = await createRedirect('killed.localhost');
  const visitors = startVisitors({ redirectAddress: redirectAddress() }, 'killed.localhost');
  await answersAtLeast(visitors, 300);

  await ingest.end('SIGKILL');
  await startForTest('ingest');
  await controlplane.end('SIGKILL');
  await answersAtLeast(visitors, 100);
  await startForTest('controlplane');
  await servers.redis.restart();
  await answersAtLeast(visitors, 100);

  const [worker = 0] = childrenOf(dataplane.pid);
  const killedAtMs = performance.now();
  process.kill(worker, 'SIGKILL');
  await answersAtLeast(visitors, 300);
  await vi.waitFor(() => expect(childrenOf(dataplane.pid)).toHaveLength(2), SOON);
  await createRedirect('after.localhost');
  await visitors.stop();

  expect(visitors.wrong).toEqual([]);
  const { answeredAtMs } = visitors;
  const asked = visitors.asked + (visitsOf.get('killed.localhost') ?? 0);
  const atRisk = answeredAtMs.filter((at) => at > killedAtMs - CRASH_WINDOW_MS && at <= killedAtMs).length;
  await vi.waitFor(async () => {
    expect((await statsOf(id)).data.totalHits).toBeGreaterThanOrEqual(answeredAtMs.length - atRisk);
  }, AFTER_TAKE_OVER);
  expect(await dataplane.end('SIGTERM'), dataplane.output()).toBe(0);
  // The counters of a batch are stored after its hits, some batches together.
  await vi.waitFor(async () => {
    const { data, meta } = await statsOf(id);
    expect(meta.delivery).toMatchObject({ delivered: data.totalHits, duplicated: 0 });
    expect(data.totalHits).toBeLessThanOrEqual(asked);
  }, SOON);
});
