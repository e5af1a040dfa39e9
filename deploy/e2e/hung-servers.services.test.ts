import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPostgres } from '../faults/servers/postgres.js';
import { createServerFolder } from '../faults/servers/server-folder.js';
import { type Role, type Servers, startRole, startServers, TOKEN } from './roles.fixture.js';

/** Maximum time of any answer while a server hangs. */
const LIMIT_MS = 2_000;
/** For other processes on the machine of the tests, which make timers late. */
const MARGIN_MS = 1_000;
/** Longer than any answer may take. A slow answer is then measured instead of cut off. */
const PATIENCE_MS = 40_000;
const AT_ONCE = 16;
/** Maximum stops of a server for one load. */
const STOPS = 4;
const SOON = { timeout: 60_000, interval: 100 };

interface Call {
  readonly port: string;
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  readonly ms: number;
}

let servers: Servers;
let postgres: Awaited<ReturnType<typeof createPostgres>>;
let folder: Awaited<ReturnType<typeof createServerFolder>>;
let environment: Readonly<Record<string, string>>;
const roles: Role[] = [];
let redirectId = '';
let calls = 0;

beforeAll(async () => {
  [servers, folder] = await Promise.all([startServers(), createServerFolder(false)]);
  postgres = await createPostgres(folder, { settings: ['fsync=off', 'track_commit_timestamp=on'] });
  await postgres.server.start();
  environment = { ...servers.environment, DATABASE_URL: postgres.url };
  for (const name of ['controlplane', 'dataplane', 'ingest'] as const) {
    roles.push(await startRole(name, environment));
  }
  const created = await fetch(urlOf(create()), {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(create().body),
  });
  redirectId = ((await created.json()) as { id: string }).id;
}, 180_000);
afterAll(async () => {
  for (const role of roles) role.process.kill('SIGKILL');
  postgres?.server.resume();
  await postgres?.server.kill();
  await servers?.close();
  folder?.remove();
});

const urlOf = ({ port, url }: Call) => `http://127.0.0.1:${port}${url}`;
const api = (method: string, url: string, body?: unknown): Call => ({
  port: environment.API_PORT ?? '',
  method,
  url,
  ...(body !== undefined && { body }),
});

function create(): Call {
  calls += 1;
  return api('POST', '/add-redirect', {
    fromDomain: `n${calls}.localhost`,
    toDomain: 'https://destination.example',
  });
}

function edit(): Call {
  calls += 1;
  return api('PATCH', `/redirects/${redirectId}`, { toDomain: `https://d${calls}.example` });
}

/** A login with an unknown address, so no limit of attempts is reached. */
function login(url: string): Call {
  calls += 1;
  return api('POST', url, { email: `n${calls}@example.com`, password: 'long enough for all' });
}

/** Each kind of answer, by name. */
const kinds: Readonly<Record<string, () => Call>> = {
  creation: create,
  edit,
  list: () => api('GET', '/redirects'),
  'single read': () => api('GET', `/redirects/${redirectId}`),
  statistics: () => api('GET', `/analytics/redirect/${redirectId}/stats/basic`),
  hits: () => api('GET', `/analytics/redirect/${redirectId}/hits`),
  account: () => api('GET', '/auth/user'),
  'log-in': () => login('/auth/login'),
  'console log-in': () => login('/auth/session'),
  console: () => api('GET', '/console/'),
  'admin: data planes': () => api('GET', '/admin/dataplanes'),
  'admin: users': () => api('GET', '/admin/users'),
  'admin: log': () => api('GET', '/admin/log'),
  'control plane /readyz': () => api('GET', '/readyz'),
  'control plane /healthz': () => api('GET', '/healthz'),
  'control plane /metrics': () => api('GET', '/metrics'),
  'data plane /readyz': () => ({ port: environment.ADMIN_PORT ?? '', method: 'GET', url: '/readyz' }),
  'data plane /healthz': () => ({ port: environment.ADMIN_PORT ?? '', method: 'GET', url: '/healthz' }),
};

async function ask(call: Call): Promise<Answer> {
  const startedMs = performance.now();
  const answer = await fetch(urlOf(call), {
    method: call.method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await answer.arrayBuffer();
  return { status: answer.status, ms: Math.round(performance.now() - startedMs) };
}

/** The children of PostgreSQL's main process. Each is in its own process group. */
function backends(): number[] {
  const [postmaster = ''] = readFileSync(path.join(postgres.dataDir, 'postmaster.pid'), 'utf8').split('\n');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === postmaster;
      } catch {
        return false;
      }
    });
}

interface HungServer {
  readonly name: string;
  hang(): void;
  goOn(): void;
}

const hungServers: readonly HungServer[] = [
  {
    name: 'PostgreSQL',
    hang() {
      postgres.server.pause();
      for (const pid of backends()) process.kill(pid, 'SIGSTOP');
    },
    goOn() {
      for (const pid of backends()) process.kill(pid, 'SIGCONT');
      postgres.server.resume();
    },
  },
  {
    name: 'PostgreSQL, for new connections',
    hang: () => postgres.server.pause(),
    goOn: () => postgres.server.resume(),
  },
  { name: 'Redis', hang: () => servers.redis.pause(), goOn: () => servers.redis.resume() },
  { name: 'Kafka', hang: () => servers.kafka.pause(), goOn: () => servers.kafka.resume() },
  { name: 'ClickHouse', hang: () => servers.clickhouse.hang(), goOn: () => servers.clickhouse.goOn() },
];

async function allWell(): Promise<void> {
  for (const name of ['list', 'statistics', 'control plane /readyz', 'admin: data planes']) {
    await vi.waitFor(async () => expect((await ask(kinds[name]!())).status).toBe(200), SOON);
  }
}

/** Requests sent simultaneously to a server that has just been stopped. */
const loads: Readonly<Record<string, readonly string[]>> = {
  'one request of each kind': Object.keys(kinds),
  '16 edits': Array.from({ length: AT_ONCE }, () => 'edit'),
  '16 lists': Array.from({ length: AT_ONCE }, () => 'list'),
  '16 statistics': Array.from({ length: AT_ONCE }, () => 'statistics'),
};

/** Stops the server, sends the requests twice, and returns the late answers. The first requests find out that the server hangs. */
async function lateAnswers(server: HungServer, names: readonly string[]): Promise<string[]> {
  await allWell();
  server.hang();
  const late: string[] = [];
  try {
    for (const round of ['first', 'second']) {
      const answers = await Promise.all(names.map((name) => ask(kinds[name]!())));
      for (const [index, { status, ms }] of answers.entries()) {
        if (ms >= LIMIT_MS + MARGIN_MS) late.push(`${round} ${names[index]}: ${status} after ${ms} ms`);
      }
    }
  } finally {
    server.goOn();
  }
  return late;
}

describe.each(hungServers)('while $name hangs', (server) => {
  test.each(Object.entries(loads))('%s: answers come in time', async (_, names) => {
    // On a busy machine any answer can be late once. An answer that really waits too long is late every time.
    let late = await lateAnswers(server, names);
    for (let stops = 1; late.length > 0 && stops < STOPS; stops += 1) late = await lateAnswers(server, names);
    expect(late).toEqual([]);
  });
});
