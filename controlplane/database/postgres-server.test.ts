import { createServer } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startApi } from '../api.fixture.js';
import { DatabaseUnavailableError } from './database-unavailable.js';
import { openPostgresServer } from './postgres-server.js';

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
