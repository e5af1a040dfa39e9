import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from './database.js';
import { copyEmbeddedTemplate } from './embedded-template.fixture.js';
import { createEmbeddedCheckpoints } from './embedded-upkeep.js';
import { openDatabase } from './open-database.js';

const logger = pino({ level: 'silent' });
let dataDir: string;
let database: Database;
let nowMs = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-checkpoints-'));
  await copyEmbeddedTemplate(dataDir);
  // With fsync, which the test below proves to be on.
  database = await openDatabase({ databaseUrl: undefined, dataDir, embeddedFsync: true }, logger);
  await database.script('CREATE TABLE filler (id int PRIMARY KEY, text text)');
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function redoAt(): Promise<string> {
  const [row] = await database.query<{ lsn: string }>(
    'SELECT redo_lsn::text AS lsn FROM pg_control_checkpoint()',
  );
  return row?.lsn ?? '';
}

const fill = (rows: number) =>
  database.query(
    `INSERT INTO filler SELECT number, repeat(md5(number::text), 30) FROM generate_series(1, $1::int) AS number
     ON CONFLICT (id) DO UPDATE SET text = excluded.text || 'x'`,
    [rows],
  );

it('a checkpoint is made after five minutes in which anything was written, and not before', async () => {
  const checkpoints = createEmbeddedCheckpoints({ database, folder: dataDir, logger }, () => nowMs);
  await fill(1);
  const before = await redoAt();
  nowMs += 299_999;
  await checkpoints.runRound();
  expect(await redoAt()).toBe(before);
  nowMs += 1;
  await checkpoints.runRound();
  const after = await redoAt();
  expect(after).not.toBe(before);
  nowMs += 600_000;
  await checkpoints.runRound();
  expect(await redoAt(), 'nothing was written since').toBe(after);
});

it('a checkpoint is made as soon as there are 16 MiB of WAL', async () => {
  const checkpoints = createEmbeddedCheckpoints({ database, folder: dataDir, logger }, () => nowMs);
  const before = await redoAt();
  await fill(18_000);
  await checkpoints.runRound();
  expect(await redoAt()).not.toBe(before);
});

it('EMBEDDED_FSYNC has PostgreSQL wait for the disk', async () => {
  const settings = await database.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'wal_sync_method') ORDER BY name`,
  );
  expect(settings).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'wal_sync_method', setting: 'fsync' },
  ]);
});
