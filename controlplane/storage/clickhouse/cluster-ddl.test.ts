import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extendRetention } from '../../areas/analytics/change-hits.js';
import { readMigrations } from '../postgres/migrations.js';
import { createTestStore, type TestStore } from './analytics-store.fixture.js';
import { clusterDdl } from './cluster-ddl.js';
import { clickhouseMigrationsFolder } from './migrate.js';

const migration = (sql: string) => ({ name: '0009_test.sql', sql, checksum: '' });
const spread = (...sql: string[]) => clusterDdl(sql.map(migration), 'main');

const HITS = `-- ENGINE = none of this comment
CREATE TABLE IF NOT EXISTS hits (
  redirect_id String,
  size UInt8 DEFAULT (1)
)
ENGINE = MergeTree
ORDER BY redirect_id
SETTINGS non_replicated_deduplication_window = 7;`;
const DAYS = `CREATE TABLE IF NOT EXISTS days (redirect_id String, day Date, hits UInt64)
ENGINE = SummingMergeTree(hits) ORDER BY (redirect_id, day);`.replace('(redirect_id', '(\n  redirect_id');
const VIEW = `CREATE MATERIALIZED VIEW IF NOT EXISTS days_of_hits TO days AS
SELECT redirect_id, today() AS day, count() AS hits FROM hits GROUP BY redirect_id, day;`;

describe('on a cluster', () => {
  it('a table is a replicated one on each shard, found under its own name through a distributed one', () => {
    expect(spread(HITS)).toEqual([
      `CREATE TABLE IF NOT EXISTS hits_local ON CLUSTER 'main' (
  redirect_id String,
  size UInt8 DEFAULT (1)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY redirect_id
SETTINGS replicated_deduplication_window = 7`,
      `CREATE TABLE IF NOT EXISTS hits ON CLUSTER 'main' AS hits_local
ENGINE = Distributed('main', currentDatabase(), 'hits_local', sipHash64(redirect_id))`,
    ]);
  });

  it('an engine keeps its own arguments', () => {
    expect(spread(DAYS)[0]).toContain(
      "ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', hits)",
    );
  });

  it('a view reads and feeds its own shard, and is there before anybody can write', () => {
    const [, , view, ...distributed] = spread(HITS, DAYS, VIEW);
    expect(view).toMatch(/VIEW IF NOT EXISTS days_of_hits ON CLUSTER 'main' TO days_local AS/);
    expect(view).toContain('FROM hits_local GROUP BY');
    expect(distributed).toHaveLength(2);
  });

  it('a column that is added later is there on every shard before anybody can name it', () => {
    expect(spread(HITS, 'ALTER TABLE hits ADD COLUMN IF NOT EXISTS x UInt8 DEFAULT 7;')).toEqual([
      expect.stringContaining('hits_local'),
      "ALTER TABLE hits_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS x UInt8 DEFAULT 7",
      expect.stringContaining('ENGINE = Distributed'),
      "ALTER TABLE hits ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS x UInt8 DEFAULT 7",
    ]);
  });

  it('a projection that is added later belongs to the tables of the shards', () => {
    const projection = 'ADD PROJECTION IF NOT EXISTS by_size (SELECT size, count() GROUP BY size)';
    expect(spread(HITS, `-- Why.\nALTER TABLE hits ${projection};`)).toEqual([
      expect.stringContaining('hits_local'),
      `ALTER TABLE hits_local ON CLUSTER 'main' ${projection}`,
      expect.stringContaining('ENGINE = Distributed'),
    ]);
  });

  it.each([
    'MATERIALIZE PROJECTION by_size, MATERIALIZE PROJECTION by_day SETTINGS mutations_sync = 0',
    'DROP PROJECTION IF EXISTS by_size SETTINGS mutations_sync = 0',
  ])('%s is a change of the tables of the shards', (change) => {
    expect(spread(HITS, `ALTER TABLE hits ${change};`)).toEqual([
      expect.stringContaining('hits_local'),
      `ALTER TABLE hits_local ON CLUSTER 'main' ${change}`,
      expect.stringContaining('ENGINE = Distributed'),
    ]);
  });

  it.each([
    ['a change that cannot be repeated', 'ALTER TABLE hits ADD COLUMN x UInt8;'],
    ['another change of a table', 'ALTER TABLE hits DROP COLUMN x;'],
    ['rows', "INSERT INTO hits VALUES ('a', 1);"],
    ['an engine without replicas', 'CREATE TABLE IF NOT EXISTS x (\n redirect_id String) ENGINE = Log;'],
    ['a table without redirects', 'CREATE TABLE IF NOT EXISTS x (y UInt8) ENGINE = MergeTree ORDER BY y;'],
  ])('%s is refused, with the name of the file', (_what, sql) => {
    expect(() => spread(sql)).toThrow('0009_test.sql');
  });

  it.each(['', "a' b", 'a;'])('%j is no name of a cluster', (cluster) => {
    expect(() => clusterDdl([], cluster)).toThrow('no name of a cluster');
  });
});

describe('of the product', () => {
  let test: TestStore;
  let statements: string[];

  beforeAll(async () => {
    test = await createTestStore();
    statements = clusterDdl(await readMigrations(clickhouseMigrationsFolder()), 'main');
  });
  afterAll(() => test.remove());

  it('every statement is one that ClickHouse can read', async () => {
    for (const sql of statements) {
      const [row] = await test.store.query<{ sql: string }>('SELECT formatQuery({sql:String}) AS sql', {
        sql,
      });
      expect(row?.sql).toContain('main');
    }
  });

  it('the tables of a shard are those of a single server', async () => {
    for (const sql of statements.filter((each) =>
      / TABLE (IF NOT EXISTS )?\w+_local ON CLUSTER/.test(each),
    )) {
      await test.store.command(onOneServer(sql));
    }
    const tables = await definitions(`name NOT LIKE '%\\_local'`);
    expect(tables.length).toBeGreaterThanOrEqual(3);
    expect(await definitions(`name LIKE '%\\_local'`)).toEqual(tables);
  });

  /** Returns the statements of a change of stored hits for a table with this engine. */
  async function changeOn(engine: string): Promise<string> {
    const sent: string[] = [];
    await extendRetention(
      {
        ...test.store,
        query: async <Row extends object>() => [{ engine }] as unknown as Row[],
        command: async (sql) => void sent.push(sql),
      },
      ['rd_1'],
      30,
    );
    return sent[0] ?? '';
  }

  it('a change of stored rows goes to the tables of the shards, in words that ClickHouse can read', async () => {
    const distributed = statements.find((sql) => sql.includes('TABLE IF NOT EXISTS hits ON CLUSTER'));
    const [, engine = ''] = /ENGINE = (.*)$/.exec(distributed ?? '') ?? [];
    const sql = await changeOn(engine.replace('currentDatabase()', "'waymark'"));
    expect(sql).toMatch(/^ALTER TABLE hits_local ON CLUSTER 'main' UPDATE /);
    const [row] = await test.store.query<{ sql: string }>('SELECT formatQuery({sql:String}) AS sql', { sql });
    expect(row?.sql).toContain('hits_local ON CLUSTER main');
  });

  it('a change of stored rows goes to the table itself where there is no cluster', async () => {
    expect(await changeOn('MergeTree PARTITION BY toYYYYMM(timestamp)')).toMatch(/^ALTER TABLE hits UPDATE /);
  });

  /** How the engine writes down the tables in question, under the names they have on a single server. */
  const definitions = (which: string) =>
    test.store.query(
      `SELECT replaceOne(create_table_query, '_local', '') AS sql FROM system.tables
       WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name != 'schema_migrations' AND ${which}
       ORDER BY name`,
    );
});

/** Removes the clauses that need other servers or Keeper, which the embedded engine does not have. */
function onOneServer(sql: string): string {
  return sql
    .replace(" ON CLUSTER 'main'", '')
    .replace(/Replicated(\w+)\('[^']+', '[^']+'(?:, )?/, '$1(')
    .replace(/\breplicated_deduplication_window/, 'non_replicated_deduplication_window');
}
