import { pino } from 'pino';
import { expect, it } from 'vitest';
import { processEnvironment } from '../../shared/config/process-environment.js';
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
