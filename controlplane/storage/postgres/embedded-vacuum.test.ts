import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RoundWork } from '../../jobs/background-work.js';
import type { Database } from './database.js';
import { copyEmbeddedTemplate } from './embedded-template.fixture.js';
import { createEmbeddedVacuum } from './embedded-upkeep.js';
import { openDatabase } from './open-database.js';

const ROWS = 500;
const logger = pino({ level: 'silent' });
let dataDir: string;
let database: Database;
let vacuum: RoundWork;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-vacuum-'));
  await copyEmbeddedTemplate(dataDir);
  database = await openDatabase({ databaseUrl: undefined, dataDir }, logger);
  vacuum = createEmbeddedVacuum({ database, folder: dataDir, logger });
  await database.script('CREATE TABLE "Odd ""name" (id int PRIMARY KEY, changes int, text text)');
  await database.query(
    `INSERT INTO "Odd ""name" SELECT number, 0, repeat('x', 200) FROM generate_series(1, $1::int) AS number`,
    [ROWS],
  );
  await database.script('CREATE INDEX ON "Odd ""name" (changes)');
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Changes every row. PostgreSQL keeps the former rows until a vacuum. */
async function changeAll(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    await database.query('UPDATE "Odd ""name" SET changes = changes + 1');
}

/** Makes counts visible immediately instead of up to a second later. */
const showCounts = () => database.query('SELECT pg_stat_force_next_flush()');

async function runRound(): Promise<void> {
  await showCounts();
  await vacuum.runRound();
}

async function tableState(): Promise<{ bytes: number; dead: number; vacuums: number; analyzed: number }> {
  await showCounts();
  const [row] = await database.query<{ bytes: number; dead: number; vacuums: number; analyzed: number }>(
    `SELECT pg_total_relation_size(relid)::int AS bytes, n_dead_tup::int AS dead, vacuum_count::int AS vacuums,
       reltuples::int AS analyzed
     FROM pg_stat_all_tables JOIN pg_class ON oid = relid WHERE pg_stat_all_tables.relname = 'Odd "name'`,
  );
  if (row === undefined) throw new Error('the table is missing');
  return row;
}

it('a table stops growing, and its statistics become new', async () => {
  await changeAll(10);
  const before = await tableState();
  expect(before.dead).toBeGreaterThan(0);
  await runRound();
  expect(await tableState()).toMatchObject({ dead: 0, analyzed: ROWS });
  for (let round = 0; round < 5; round += 1) {
    await changeAll(10);
    await runRound();
  }
  const { bytes } = await tableState();
  expect(bytes).toBeLessThan(1.5 * before.bytes);
  await changeAll(100);
  expect((await tableState()).bytes, 'without vacuums').toBeGreaterThan(2 * before.bytes);
  await runRound();
});

it('a table with few changes is left alone', async () => {
  const { vacuums } = await tableState();
  await database.query('UPDATE "Odd ""name" SET changes = 0 WHERE id <= 10');
  await runRound();
  expect((await tableState()).vacuums).toBe(vacuums);
});

it('a table that cannot be vacuumed does not keep others from it', async () => {
  await database.script(`
    CREATE FUNCTION doubled(number int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 2 * number';
    CREATE TABLE "A first" (number int);
    CREATE INDEX ON "A first" (doubled(number));
    INSERT INTO "A first" SELECT * FROM generate_series(1, 2000);
    CREATE OR REPLACE FUNCTION doubled(number int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT number / 0'`);
  const { vacuums } = await tableState();
  await changeAll(10);
  await runRound();
  expect((await tableState()).vacuums).toBe(vacuums + 1);
  await database.script('DROP TABLE "A first"');
});

it('the first changes after a start are enough, because counts of dead rows end with the process', async () => {
  await database.close();
  database = await openDatabase({ databaseUrl: undefined, dataDir }, logger);
  vacuum = createEmbeddedVacuum({ database, folder: dataDir, logger });
  await database.query('UPDATE "Odd ""name" SET changes = 1 WHERE id = 1');
  await runRound();
  expect((await tableState()).vacuums).toBe(1);
});
