import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import { DatabaseUnavailableError } from './database-unavailable.js';
import { openPostgresServer } from './postgres-server.js';

it('a transaction whose connection breaks says that the database is away, and the next one works', async () => {
  const { DATABASE_URL: url = '' } = processEnvironment();
  const database = openPostgresServer(url, pino({ level: 'silent' }));
  const attempt = database.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.query('SELECT pg_terminate_backend($1)', [row?.pid]);
  });
  await expect(attempt).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await database.transaction((tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  await database.close();
});

it('no statement is compiled, whatever the server estimates', async () => {
  const { DATABASE_URL: url = '' } = processEnvironment();
  const database = openPostgresServer(url, pino({ level: 'silent' }));
  onTestFinished(() => database.close());
  const plan = (source: Pick<typeof database, 'query'>) =>
    source
      .query<Record<string, string>>(
        'EXPLAIN SELECT sum(a + b) FROM generate_series(1, 1000000) AS a, generate_series(1, 1000000) AS b WHERE a < b',
      )
      .then((rows) => rows.flatMap((row) => Object.values(row)).join('\n'));
  expect(await plan(database)).not.toContain('JIT');
  expect(await database.transaction(plan)).not.toContain('JIT');
});

/** Maximum time of an answer, and a second for other processes on the machine. */
const LIMIT_MS = 2_000 + 1_000;

/** Opens a port in front of the server. While paused, it accepts connections but forwards no data. */
async function startGate(target: URL) {
  const sockets = new Set<Socket>();
  let isPaused = false;
  const gate = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    client.pipe(server);
    server.pipe(client);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.once('error', () => socket.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
      if (isPaused) socket.pause();
    }
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const url = new URL(target);
  url.port = String((gate.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Existing connections go on. */
    pauseNewConnections() {
      isPaused = true;
    },
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => gate.close(resolve));
    },
  };
}

it('a server that hangs fails every call soon, and works again when it answers again', async () => {
  const { DATABASE_URL: target = '' } = processEnvironment();
  const gate = await startGate(new URL(target));
  const database = openPostgresServer(gate.url, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await database.close();
    await gate.close();
  });
  const one = () => database.query('SELECT 1 AS one');
  // Longer than a server that hangs is waited for.
  const long = 'SELECT 1 AS one FROM pg_sleep(3)';
  // More than the pool has connections.
  const living = Array.from({ length: 11 }, () => database.query(long));
  expect(await Promise.all(living)).toEqual(Array(11).fill([{ one: 1 }]));

  let pausedMs = 0;
  const broken = database.transaction(async (tx) => {
    await tx.query('CREATE TEMPORARY TABLE held (id int)');
    gate.pause();
    pausedMs = performance.now();
    await tx.query('SELECT 1');
  });
  await expect(broken).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(performance.now() - pausedMs).toBeLessThan(LIMIT_MS);

  const knownMs = performance.now();
  const calls = await Promise.allSettled(Array.from({ length: 30 }, one));
  for (const call of calls) expect(call).toMatchObject({ reason: { name: 'DatabaseUnavailableError' } });
  expect(performance.now() - knownMs).toBeLessThan(1_000);

  gate.resume();
  await expect.poll(() => one().catch(() => undefined)).toEqual([{ one: 1 }]);
  // The pool has all its connections again.
  expect(await Promise.all(Array.from({ length: 30 }, one))).toEqual(Array(30).fill([{ one: 1 }]));
});

it('a server that accepts no further connection fails the calls that need one soon, and answers the others', async () => {
  const { DATABASE_URL: target = '' } = processEnvironment();
  const gate = await startGate(new URL(target));
  const database = openPostgresServer(gate.url, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await database.close();
    await gate.close();
  });
  const one = () => database.query('SELECT 1 AS one');
  // Long enough for a ping, which has its own connection.
  await database.query('SELECT pg_sleep(1)');
  gate.pauseNewConnections();
  const startedMs = performance.now();
  const calls = await Promise.allSettled(Array.from({ length: 16 }, one));
  expect(performance.now() - startedMs).toBeLessThan(LIMIT_MS);
  expect(calls.filter(({ status }) => status === 'fulfilled')).not.toHaveLength(0);
  for (const call of calls.filter(({ status }) => status === 'rejected')) {
    expect(call).toMatchObject({ reason: { name: 'DatabaseUnavailableError' } });
  }
  expect(await one()).toEqual([{ one: 1 }]);
  gate.resume();
  // No connection is left out.
  await expect.poll(() => Promise.all(Array.from({ length: 30 }, one)).catch(() => [])).toHaveLength(30);
  const slow = Array.from({ length: 10 }, () => database.query('SELECT pg_sleep(0.5)'));
  const slowMs = performance.now();
  await Promise.all(slow);
  expect(performance.now() - slowMs).toBeLessThan(LIMIT_MS);
});

it('the connection of the pings stays open', async () => {
  const { DATABASE_URL: url = '' } = processEnvironment();
  const database = openPostgresServer(url, pino({ level: 'silent' }));
  onTestFinished(() => database.close());
  const pings = () =>
    database.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'waymark ping' AND datname = current_database()",
    );
  // Long enough for a ping.
  await database.query('SELECT pg_sleep(2)');
  const before = await pings();
  expect(before).not.toHaveLength(0);
  // Idle connections of the pool are closed after 10 s.
  await delay(11_000);
  // Other tests open and close their own connections.
  const pids = before.map(({ pid }) => pid);
  expect((await pings()).filter(({ pid }) => pids.includes(pid))).not.toHaveLength(0);
});
