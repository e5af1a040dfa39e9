import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import { applyMigrations } from './apply-migrations.js';
import type { Database } from './database.js';
import { openPostgresServer } from './postgres-server.js';
import { createTestSchema } from './test-database.fixture.js';

let folder: string;
let schema: Awaited<ReturnType<typeof createTestSchema>>;
let messages: string[];
let open: Database[];

const logger = pino({ level: 'info' }, { write: (line: string) => void messages.push(JSON.parse(line).msg) });

beforeEach(async () => {
  messages = [];
  open = [];
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-migrations-'));
  schema = await createTestSchema(processEnvironment().DATABASE_URL ?? '');
});
afterEach(async () => {
  for (const database of open) await database.close();
  await schema.drop();
  await rm(folder, { recursive: true, force: true });
});

function openServer(setting = ''): Database {
  const url = new URL(schema.databaseUrl);
  url.searchParams.set('options', `${url.searchParams.get('options')} ${setting}`);
  const database = openPostgresServer(url.href, logger);
  open.push(database);
  return database;
}
const write = (name: string, sql: string) => writeFile(path.join(folder, name), sql);
const apply = (database: Database) => applyMigrations(database, logger, folder);

describe('migrations of a server', () => {
  it('have no statement limit', async () => {
    const database = openServer('-c statement_timeout=100');
    await write('0001_slow.sql', 'CREATE TABLE fruits (name text);\nSELECT pg_sleep(0.5);\n');
    await apply(database);
    expect(await database.query('SELECT * FROM fruits')).toEqual([]);
  });

  it('build indexes while others write, and while further instances wait', async () => {
    const [one, other, previous] = [openServer(), openServer(), openServer()];
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text);\n');
    await apply(previous);
    await previous.query("INSERT INTO fruits SELECT 'fruit ' || i FROM generate_series(1, 50000) i");
    await write('0002_index.sql', 'CREATE INDEX CONCURRENTLY fruits_by_name ON fruits (name);\n');
    let isDone = false;
    const upgrade = Promise.all([apply(one), apply(other)]).finally(() => {
      isDone = true;
    });
    let writes = 0;
    do {
      await previous.query("INSERT INTO fruits VALUES ('plum')");
      writes += 1;
    } while (!isDone);
    await upgrade;
    const [index] = await previous.query(
      "SELECT indisvalid FROM pg_index WHERE indexrelid = 'fruits_by_name'::regclass",
    );
    expect(index).toEqual({ indisvalid: true });
    expect(await previous.query('SELECT count(*) FROM fruits')).toEqual([{ count: 50_000 + writes }]);
    expect(messages.filter((message) => message === 'database migration applied')).toHaveLength(1);
  });

  it('wait for a table that others use without keeping anybody from it for long', async () => {
    const [database, previous] = [openServer(), openServer()];
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text);\n');
    await apply(previous);
    await write('0002_colour.sql', 'ALTER TABLE fruits ADD COLUMN colour text;\n');
    let upgrade: Promise<void> | undefined;
    await previous.transaction(async (tx) => {
      await tx.query('SELECT * FROM fruits');
      upgrade = apply(database);
      await expect
        .poll(() => messages, { timeout: 60_000 })
        .toContain('a table is locked by others; the migration tries again');
      // A new reader is not stuck behind the waiting migration.
      expect(await previous.query('SELECT * FROM fruits')).toEqual([]);
    });
    await upgrade;
    expect(await previous.query('SELECT colour FROM fruits')).toEqual([]);
  });
});
