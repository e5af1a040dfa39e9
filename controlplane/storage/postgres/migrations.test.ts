import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyMigrations } from './apply-migrations.js';
import { postgresMigrationsFolder, readMigrations, SchemaTooNew } from './migrations.js';
import { openTestDatabase, type TestDatabase } from './test-database.fixture.js';

const logger = pino({ level: 'silent' });

let test: TestDatabase;
let folder: string;

beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-migrations-'));
  await test.database.script('DROP TABLE IF EXISTS fruits; DELETE FROM schema_migrations;');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, sql: string) => writeFile(path.join(folder, name), sql);
const apply = () => applyMigrations(test.database, logger, folder);
const fruits = async () =>
  (await test.database.query<{ name: string }>('SELECT name FROM fruits ORDER BY name')).map(
    ({ name }) => name,
  );
const indexes = () =>
  test.database.query(
    `SELECT relname AS name, indisvalid AS is_valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indrelid = 'fruits'::regclass ORDER BY relname`,
  );
const applied = async () =>
  (await test.database.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')).map(
    ({ name }) => name,
  );

describe('migrations', () => {
  it('are applied in the order of their numbers, each once', async () => {
    await write('0002_more.sql', "INSERT INTO fruits VALUES ('pear');\n");
    await write(
      '0001_fruits.sql',
      "CREATE TABLE fruits (name text);\nINSERT INTO fruits VALUES ('apple');\n",
    );
    await write('README.md', 'no migration');
    await apply();
    await apply();
    expect(await fruits()).toEqual(['apple', 'pear']);
    await write('0003_even_more.sql', "INSERT INTO fruits VALUES ('plum');\n");
    await apply();
    expect(await fruits()).toEqual(['apple', 'pear', 'plum']);
    expect(await applied()).toEqual(['0001_fruits.sql', '0002_more.sql', '0003_even_more.sql']);
  });

  it('are applied once when several processes start at once', async () => {
    await write(
      '0001_fruits.sql',
      "CREATE TABLE fruits (name text);\nINSERT INTO fruits VALUES ('apple');\n",
    );
    await Promise.all([apply(), apply(), apply()]);
    expect(await fruits()).toEqual(['apple']);
  });

  it('leave nothing of one that fails, and keep those before it', async () => {
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text);\n');
    await write(
      '0002_broken.sql',
      "INSERT INTO fruits VALUES ('pear');\nINSERT INTO vegetables VALUES (1);\n",
    );
    await expect(apply()).rejects.toMatchObject({ code: '42P01' });
    expect(await fruits()).toEqual([]);
    expect(await applied()).toEqual(['0001_fruits.sql']);
  });

  it('refuse a database that a newer version has migrated', async () => {
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text);\n');
    await write('0002_more.sql', 'ALTER TABLE fruits ADD COLUMN colour text;\n');
    await apply();
    await rm(path.join(folder, '0002_more.sql'));
    const error = await apply().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SchemaTooNew);
    expect(String(error)).toMatch(
      /does not know: 0002_more\.sql \(the newest known one is 0001_fruits\.sql\)/,
    );
  });

  it('may build indexes concurrently, and replace one whose build was interrupted', async () => {
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text);\n');
    await apply();
    await test.database.script(`CREATE INDEX fruits_by_name ON fruits (name);
      UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'fruits_by_name'::regclass;`);
    await write(
      '0002_index.sql',
      '-- For searches.\nCREATE INDEX CONCURRENTLY fruits_by_name ON fruits (name);\n-- More.\nCREATE INDEX CONCURRENTLY fruits_by_length ON fruits (length(name));\n',
    );
    await apply();
    expect(await indexes()).toEqual([
      { name: 'fruits_by_length', is_valid: true },
      { name: 'fruits_by_name', is_valid: true },
    ]);
    expect(await applied()).toEqual(['0001_fruits.sql', '0002_index.sql']);
  });

  it('finish a migration whose process ended between an index build and its record', async () => {
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text);\n');
    await apply();
    await test.database.script('CREATE INDEX fruits_by_name ON fruits (name)');
    await write('0002_index.sql', 'CREATE INDEX CONCURRENTLY fruits_by_name ON fruits (name);\n');
    await apply();
    expect(await applied()).toEqual(['0001_fruits.sql', '0002_index.sql']);
  });

  it('must not mix concurrent index builds with other statements', async () => {
    await write(
      '0001_fruits.sql',
      'CREATE TABLE fruits (name text);\nCREATE INDEX CONCURRENTLY fruits_by_name ON fruits (name);\n',
    );
    await expect(apply()).rejects.toThrow('0001_fruits.sql may only hold statements');
    expect(await applied()).toEqual([]);
  });

  it('must not change once they have been applied', async () => {
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text);\n');
    await apply();
    await write('0001_fruits.sql', 'CREATE TABLE fruits (name text, colour text);\n');
    await expect(apply()).rejects.toThrow('0001_fruits.sql was changed');
  });

  it('may hold comments, strings with semicolons, and no newline at the end', async () => {
    const sql = `-- The table.\nCREATE TABLE fruits (\n  name text -- its name; in English\n);\n\n-- One; two.\nINSERT INTO fruits VALUES ('a;b')`;
    await write('0001_fruits.sql', sql);
    await apply();
    expect(await fruits()).toEqual(['a;b']);
  });
});

describe('the migrations of the product', () => {
  it('are numbered from 1 on, each number once', async () => {
    const names = (await readMigrations(postgresMigrationsFolder())).map(({ name }) => name);
    const numbers = names.map((name) => Number(name.slice(0, 4)));
    expect(numbers[0]).toBe(1);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
