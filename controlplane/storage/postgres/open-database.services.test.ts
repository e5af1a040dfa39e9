import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../shared/config/environment.js';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import { openDatabase } from './open-database.js';
import { openPostgresServer } from './postgres-server.js';

const logger = pino({ level: 'silent' });
const serverUrl = () => new URL(processEnvironment().DATABASE_URL ?? '');

async function refusal(url: URL): Promise<string> {
  const error = await openDatabase({ databaseUrl: url.href, dataDir: '' }, logger).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
}

it('a database that does not exist is named, with what to do', async () => {
  const url = serverUrl();
  url.pathname = '/nowhere';
  expect(await refusal(url)).toMatch(
    /^DATABASE_URL names a database that does not exist \(database "nowhere" does not exist\): create it .*$/,
  );
});

it('a user who does not exist is named, with what to do', async () => {
  const url = serverUrl();
  url.username = 'stranger';
  url.password = 's3cret';
  const message = await refusal(url);
  expect(message).toMatch(
    /^DATABASE_URL names a user whom PostgreSQL does not let in \(.*"stranger".*\): .*$/,
  );
  expect(message).not.toContain('s3cret');
});

it('a user who may not make tables is told apart', async () => {
  const admin = openPostgresServer(serverUrl().href, logger);
  const user = `reader_${process.pid}`;
  await admin.script(`CREATE ROLE ${user} LOGIN`);
  const url = serverUrl();
  url.username = user;
  try {
    expect(await refusal(url)).toMatch(/^DATABASE_URL names a user who cannot make tables there \(.*\): .*$/);
  } finally {
    await admin.script(`DROP ROLE ${user}`);
    await admin.close();
  }
});
