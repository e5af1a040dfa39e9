import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestStore, silentLogger, type TestStore } from './analytics-store.fixture.js';
import type { AnalyticsStore } from './analytics-store.js';
import { clickhouseMigrationsFolder, migrateAnalyticsStore } from './migrate.js';

let test: TestStore;
let folder: string;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-migrations-'));
  await cp(clickhouseMigrationsFolder(), folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const migrate = () => migrateAnalyticsStore(test.store, silentLogger, { folder });
const write = (name: string, sql: string) => writeFile(path.join(folder, name), sql);
const applied = () =>
  test.store.query<{ name: string }>('SELECT name FROM schema_migrations FINAL ORDER BY name');

it('applies only what is new, statement by statement, in order', async () => {
  await write(
    '9001_first.sql',
    "-- makes; a table;\nCREATE TABLE IF NOT EXISTS steps (text String) ENGINE = MergeTree ORDER BY text;\nINSERT INTO steps VALUES ('a;b');\n",
  );
  await write('9002_second.sql', "INSERT INTO steps VALUES ('second')");
  await migrate();
  await migrate();

  expect(await test.store.query('SELECT text FROM steps ORDER BY text')).toEqual([
    { text: 'a;b' },
    { text: 'second' },
  ]);
  expect((await applied()).map((row) => row.name).slice(-2)).toEqual(['9001_first.sql', '9002_second.sql']);
});

it('repeats a file that was applied and not recorded', async () => {
  await write('9003_tables.sql', 'CREATE TABLE IF NOT EXISTS again (x UInt8) ENGINE = MergeTree ORDER BY x;');
  await test.store.command('CREATE TABLE again (x UInt8) ENGINE = MergeTree ORDER BY x');
  await migrate();
  expect(await applied()).toContainEqual({ name: '9003_tables.sql' });
});

it('records nothing of a file that fails, and goes on there the next time', async () => {
  await write(
    '9004_fails.sql',
    'CREATE TABLE IF NOT EXISTS half (x UInt8) ENGINE = MergeTree ORDER BY x;\nNONSENSE;',
  );
  await expect(migrate()).rejects.toThrow(/NONSENSE/);
  expect(await applied()).not.toContainEqual({ name: '9004_fails.sql' });

  await write('9004_fails.sql', 'CREATE TABLE IF NOT EXISTS half (x UInt8) ENGINE = MergeTree ORDER BY x;');
  await migrate();
  expect(await applied()).toContainEqual({ name: '9004_fails.sql' });
});

it('refuses a file that was changed after it had been applied', async () => {
  await write('9005_fixed.sql', 'SELECT 1;');
  await migrate();
  await write('9005_fixed.sql', 'SELECT 2;');
  await expect(migrate()).rejects.toThrow('9005_fixed.sql was changed after it had been applied');
});

it('begins no more statements once it is told to end', async () => {
  const ending = new AbortController();
  const begun: string[] = [];
  const store = {
    ...test.store,
    async command(sql: string) {
      begun.push(sql);
      await test.store.command(sql);
      ending.abort(new Error('enough'));
    },
  };
  const migrating = migrateAnalyticsStore(store, silentLogger, { folder, signal: ending.signal });
  await expect(migrating).rejects.toThrow('enough');
  expect(begun).toHaveLength(1);
});

it('adds a projection to the tables of the shards of a cluster', async () => {
  const projection = 'ADD PROJECTION IF NOT EXISTS by_host (SELECT host, count() GROUP BY host)';
  await write('9001_projection.sql', `-- Why.\nALTER TABLE hits ${projection};\n`);
  const altered: string[] = [];
  const store: AnalyticsStore = {
    ...test.store,
    async query<Row extends object>(...asked: Parameters<AnalyticsStore['query']>) {
      const engine = "Distributed('main', 'default', 'hits_local', sipHash64(redirect_id))";
      return asked[0].includes('system.tables') ? ([{ engine }] as Row[]) : test.store.query<Row>(...asked);
    },
    command: async (sql) => (sql.startsWith('ALTER') ? void altered.push(sql) : test.store.command(sql)),
  };
  await migrateAnalyticsStore(store, silentLogger, { folder });
  expect(altered).toEqual([`ALTER TABLE hits_local ON CLUSTER 'main' ${projection}`]);
});
