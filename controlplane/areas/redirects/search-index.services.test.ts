import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import type { Database } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { openDatabase } from '../../storage/postgres/open-database.js';
import { openPostgresServer } from '../../storage/postgres/postgres-server.js';
import { userRepository } from '../accounts/user-repository.js';
import { COUNT_BOUNDS, countRedirects } from './redirect-counts.js';
import { redirectSearch, SEARCH_BOUNDS } from './redirect-search.js';
import { createSearchIndex } from './search-index.js';

const TIMEOUT_MS = 60_000;
const logger = pino({ level: 'silent' });
const name = `search_${newId()}`;
const { DATABASE_URL = '' } = processEnvironment();
let server: Database;
let database: Database;
let url: URL;

/** A separate database: extensions belong to a database, not to a schema. */
beforeAll(async () => {
  server = openPostgresServer(DATABASE_URL, logger);
  await server.session((connection) => connection.query(`CREATE DATABASE ${name}`));
  url = new URL(DATABASE_URL);
  url.pathname = `/${name}`;
  database = await openDatabase({ databaseUrl: url.href, dataDir: '' }, logger);
}, TIMEOUT_MS);
afterAll(async () => {
  await database.close();
  await server.session((connection) => connection.query(`DROP DATABASE ${name} WITH (FORCE)`));
  await server.script(`DROP ROLE IF EXISTS ${name}`);
  await server.close();
});

const INDEX = 'redirects_searched_text_of_user';
/** The index that is built where btree_gin is missing. */
const GENERAL_INDEX = 'redirects_searched_text';

async function isBuilt(index = INDEX): Promise<boolean> {
  const [row] = await database.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  );
  return row?.valid === true;
}

it(
  'a role that may not create extensions is told so once',
  async () => {
    await server.script(`CREATE ROLE ${name} LOGIN`);
    url.username = name;
    const asRole = openPostgresServer(url.href, logger);
    const warn = vi.spyOn(logger, 'warn');
    const index = createSearchIndex({ database: asRole, logger });
    index.start();
    index.start();
    await vi.waitUntil(() => warn.mock.calls.length > 0, { timeout: TIMEOUT_MS });
    await index.stop();
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { problem: expect.stringContaining('permission denied') },
      expect.stringContaining('CREATE EXTENSION pg_trgm'),
    );
    await asRole.close();
    expect(await isBuilt()).toBe(false);
  },
  TIMEOUT_MS,
);

it(
  'a role that may not create btree_gin gets an index of all users, and is told so',
  async () => {
    await server.script(`GRANT ${name} TO CURRENT_USER`);
    await database.script('CREATE EXTENSION pg_trgm SCHEMA public');
    await database.script(
      `GRANT USAGE, CREATE ON SCHEMA public TO ${name}; ALTER TABLE redirects OWNER TO ${name};`,
    );
    const asRole = openPostgresServer(url.href, logger);
    const warn = vi.spyOn(logger, 'warn').mockClear();
    const index = createSearchIndex({ database: asRole, logger });
    index.start();
    await vi.waitUntil(() => isBuilt(GENERAL_INDEX), { timeout: TIMEOUT_MS });
    await index.stop();
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { problem: expect.stringContaining('permission denied') },
      expect.stringContaining('CREATE EXTENSION btree_gin'),
    );
    await asRole.close();
    await database.script('ALTER TABLE redirects OWNER TO CURRENT_USER');
    expect(await isBuilt()).toBe(false);
  },
  TIMEOUT_MS,
);

it(
  'the index is built where that is allowed, replaces that of all users, and stays after the next start',
  async () => {
    const index = createSearchIndex({ database, logger });
    index.start();
    await vi.waitUntil(() => isBuilt(), { timeout: TIMEOUT_MS });
    await index.stop();
    expect(await isBuilt(GENERAL_INDEX)).toBe(false);
    const next = createSearchIndex({ database, logger });
    next.start();
    await next.stop();
    expect(await isBuilt()).toBe(true);
  },
  TIMEOUT_MS,
);

it(
  'a text of a long list is found by the index, wherever its words begin and end, and is counted',
  async () => {
    await userRepository.insert(database, { id: 'many', email: 'many@users.example' });
    await database.query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
         sampling_rate, verification_value, created_at)
       SELECT 'r' || i, 'many', 'Shop-' || i || '.example', 'https://New-' || i || '.example/Über/100%_off', 'new.example',
         'permanent', false, false, 1, 'v', now() - make_interval(secs => i) FROM generate_series(1, 20000) AS i`,
    );
    // A busy machine can take longer than the bounds allow.
    const indexTimeoutMs = TIMEOUT_MS;
    const find = async (search: string) => {
      const range = { sort: '-createdAt', limit: 5, bounds: { ...SEARCH_BOUNDS, indexTimeoutMs } } as const;
      const { redirects, next } = await redirectSearch.page(database, 'many', { search }, range);
      const { total, countLimit } = await countRedirects(
        database,
        'many',
        { search },
        { ...COUNT_BOUNDS, indexTimeoutMs },
      );
      return [redirects.map(({ id }) => id), next?.isRead, total, countLimit];
    };
    const one = (id: string) => [[id], undefined, 1, undefined];
    expect(await find('-19321.example/über')).toEqual(one('r19321'));
    expect(await find('W-19321.EX')).toEqual(one('r19321'));
    expect(await find('9321.example/über/100%_o')).toEqual([['r9321', 'r19321'], undefined, 2, undefined]);
    expect(await find('nowhere.example')).toEqual([[], undefined, 0, undefined]);
    // Frequent words that no redirect has in this order.
    expect(await find('example/shop')).toEqual([[], true, 0, 5_000]);
    expect(await find('%_off')).toEqual([['r1', 'r2', 'r3', 'r4', 'r5'], undefined, 5_001, 5_000]);
  },
  TIMEOUT_MS,
);
