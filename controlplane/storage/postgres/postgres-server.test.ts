import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startApi } from '../../http/api.fixture.js';
import { DatabaseUnavailableError } from './database-unavailable.js';
import { openPostgresServer } from './postgres-server.js';

/** Maximum time of an answer, and a second for other processes on the machine. */
const LIMIT_MS = 2_000 + 1_000;

const logger = pino({ level: 'silent' });

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a server that cannot be reached is told from a statement that fails', async () => {
  const database = openPostgresServer(`postgres://nobody@127.0.0.1:${await closedPort()}/none`, logger);
  await expect(database.query('SELECT 1')).rejects.toBeInstanceOf(DatabaseUnavailableError);
  await expect(database.transaction((tx) => tx.query('SELECT 1'))).rejects.toBeInstanceOf(
    DatabaseUnavailableError,
  );
  await expect(database.ping()).rejects.toThrow();
  await database.close();
});

test('the API answers 503 while the database is away', async () => {
  const away = openPostgresServer(`postgres://nobody@127.0.0.1:${await closedPort()}/none`, logger);
  const api = await startApi({ database: away });
  const token = `wm_${'a'.repeat(43)}`;
  const calls = [
    api.call('GET', '/auth/user', { token }),
    api.call('POST', '/auth/login', { body: { email: 'a@b.example', password: 'long enough' } }),
  ];
  for (const answer of await Promise.all(calls)) {
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  }
  expect((await api.call('GET', '/readyz')).status).toBe(503);
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  await api.close();
  await away.close();
});

test('the API answers soon while the database accepts connections and says nothing', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const hung = openPostgresServer(`postgres://nobody@127.0.0.1:${port}/none`, logger);
  const api = await startApi({ database: hung });
  const askedMs = performance.now();
  const answers = await Promise.all(
    // More than the pool has connections.
    Array.from({ length: 30 }, () => api.call('GET', '/auth/user', { token: `wm_${'a'.repeat(43)}` })),
  );
  expect(performance.now() - askedMs).toBeLessThan(LIMIT_MS);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  }
  const knownMs = performance.now();
  expect((await api.call('GET', '/readyz')).status).toBe(503);
  expect(performance.now() - knownMs).toBeLessThan(1_000);
  await api.close();
  await hung.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});
