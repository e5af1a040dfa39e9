import { pino } from 'pino';
import { expect, it } from 'vitest';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import { startApi } from '../../http/api.fixture.js';
import { openDatabase } from './open-database.js';
import { openPostgresServer } from './postgres-server.js';
import { createTestSchema } from './test-database.fixture.js';

const logger = pino({ level: 'silent' });

it('a server that can only be read answers reads, refuses changes with 503, and is not ready', async () => {
  const schema = await createTestSchema(processEnvironment().DATABASE_URL ?? '');
  const writable = await openDatabase({ databaseUrl: schema.databaseUrl, dataDir: '' }, logger);
  const whole = await startApi({ database: writable });
  const { token } = await whole.createUser();
  const body = { name: 'another', scopes: ['redirects:read'] };
  expect((await whole.call('POST', '/auth/tokens', { token, body })).status).toBe(201);
  expect((await whole.call('GET', '/readyz')).status).toBe(200);

  const url = new URL(schema.databaseUrl);
  url.searchParams.set('options', `${url.searchParams.get('options')} -c default_transaction_read_only=on`);
  const readOnly = openPostgresServer(url.href, logger);
  const api = await startApi({ database: readOnly });
  expect((await api.call('GET', '/auth/user', { token })).status).toBe(200);
  expect(await api.call('POST', '/auth/tokens', { token, body })).toMatchObject({
    status: 503,
    json: {
      error: {
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(/^The database can only be read at the moment/),
      },
    },
  });
  expect(await api.call('GET', '/readyz')).toMatchObject({
    status: 503,
    json: { parts: { database: false }, reasons: { database: expect.stringContaining('read-only') } },
  });

  await Promise.all([api.close(), whole.close()]);
  await Promise.all([readOnly.close(), writable.close()]);
  await schema.drop();
});
