import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { embeddedEntries } from '../../controlplane/storage/backup/embedded-entries.js';
import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';
import { openMigratedStore } from '../../controlplane/storage/clickhouse/migrate.js';
import type { Database } from '../../controlplane/storage/postgres/database.js';
import { copyEmbeddedTemplate } from '../../controlplane/storage/postgres/embedded-template.fixture.js';
import { openDatabase } from '../../controlplane/storage/postgres/open-database.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { createBackupServer } from './backup-server.js';
import { makeBackup } from './make-backup.js';
import { productEntries } from './product-entries.js';
import { finishReplacing, UNPACKED } from './replace-data.js';
import { restoreBackup } from './restore-backup.js';

const logger = pino({ level: 'silent' });
const { signal } = new AbortController();
const KEY = `${'ab'.repeat(32)}\n`;

let folder: string;
let dataDir: string;
/** A backup made while rows were written. */
let backup: string;
/** Rows that were committed before the last file of the database was copied. */
let rowsCopied: number;
let epochBefore: number;

/** The running product as far as backups know it. */
async function openProduct() {
  await copyEmbeddedTemplate(dataDir);
  await writeFile(path.join(dataDir, 'secret.key'), KEY, { mode: 0o600 });
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, logger);
  const store = await openMigratedStore({ dataDir }, logger);
  await database.query('CREATE TABLE written (number bigint PRIMARY KEY, filler text)');
  return { database, store };
}

const write = (database: Database, rows: number) =>
  database.query(
    `INSERT INTO written SELECT n, repeat('x', 500) FROM generate_series(
       (SELECT coalesce(max(number), 0) + 1 FROM written), (SELECT coalesce(max(number), 0) + $1::bigint FROM written)) n`,
    [rows],
  );

/** Yields files, and writes and makes a checkpoint after every few of them. Files then change while they are copied. */
async function* disturbed({ database, store }: { database: Database; store: AnalyticsStore }) {
  let count = 0;
  for await (const entry of embeddedEntries({ database, store, dataDir })) {
    if (entry.name === 'postgres/backup_label') {
      const [row] = await database.query<{ rows: number }>('SELECT count(*) AS rows FROM written');
      rowsCopied = row?.rows ?? 0;
    } else if (rowsCopied === 0 && count % 100 === 0) {
      await write(database, 2_000);
      await database.query('UPDATE written SET filler = filler WHERE number % 7 = 0');
      await database.query('CHECKPOINT');
    }
    count += 1;
    yield entry;
  }
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-backup-'));
  // Longer than the address of a Unix socket can be.
  dataDir = path.join(folder, 'd'.repeat(120));
  backup = path.join(folder, 'backup.tar.gz');
  rowsCopied = 0;
  const { database, store } = await openProduct();
  await store.command(
    'INSERT INTO hits (redirect_id, timestamp) SELECT toString(number), now64() FROM numbers(500)',
  );
  const [head] = await database.query<{ epoch: number }>('SELECT epoch FROM ruleset_head');
  epochBefore = head?.epoch ?? 0;
  const product = { refusal: () => undefined, backupEntries: () => disturbed({ database, store }) };
  const server = createBackupServer({
    dataDir,
    version: '1.2.3',
    entries: () => productEntries(dataDir, product),
    logger,
  });
  await server.start();
  await makeBackup({ dataDir, file: backup, signal });
  await expectNothingLeft(database);
  await expectNoHalfFile();
  await server.stop();
  await database.close();
  await store.close();
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function expectNothingLeft(database: Database): Promise<void> {
  expect(await database.query('SELECT slot_name FROM pg_replication_slots')).toEqual([]);
  expect(await readdir(path.join(dataDir, 'clickhouse', 'shadow'))).not.toContain('waymark_backup');
}

/** Simulates a full disk for the command alone: its files may have 32 KiB. */
async function expectNoHalfFile(): Promise<void> {
  const file = path.join(folder, 'full', 'backup.tar.gz');
  await mkdir(path.dirname(file));
  const command = path.join(packageRoot(), 'dist', 'deploy', 'backup', 'backup.js');
  const { PATH, HOME } = processEnvironment();
  const failure = await promisify(execFile)(
    'sh',
    ['-c', `ulimit -f 64; exec "$@"`, 'sh', process.execPath, command, file],
    {
      env: { PATH, HOME, DATA_DIR: dataDir },
    },
  ).catch((error: { code: number; stderr: string }) => error);
  expect(failure).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^\S+ cannot be written \(.*\); nothing of it was kept\.\n$/),
  });
  expect(await readdir(path.dirname(file))).toEqual([]);
}

test('a backup is closed to others and holds no half-written state', async () => {
  expect((await stat(backup)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a restore brings back what was committed, begins a new epoch, and puts the old data aside', {
  timeout: 120_000,
}, async () => {
  const target = path.join(folder, 'elsewhere');
  await mkdir(path.join(target, 'postgres'), { recursive: true });
  await writeFile(path.join(target, 'postgres', 'old'), 'old');
  await writeFile(path.join(target, 'ruleset.snapshot'), 'of the old database');
  const restored = await restoreBackup({ dataDir: target, file: backup, logger });
  expect(restored).toMatchObject({ version: '1.2.3', hits: 500, hosts: 0 });
  expect(Number(restored.head?.split('.')[0])).toBeGreaterThan(epochBefore);
  expect(await readFile(path.join(target, 'secret.key'), 'utf8')).toBe(KEY);

  const database = await openDatabase({ databaseUrl: undefined, dataDir: target }, logger, 'refuse');
  const [row] = await database.query<{ rows: number; last: number }>(
    'SELECT count(*) AS rows, max(number) AS last FROM written',
  );
  await database.query('REINDEX TABLE written');
  await database.close();
  expect(rowsCopied).toBeGreaterThan(2_000);
  expect(row?.rows).toBe(row?.last);
  expect(row?.rows).toBeGreaterThanOrEqual(rowsCopied);

  const { old = '' } = restored;
  expect((await readdir(old)).sort()).toEqual(['postgres', 'ruleset.snapshot']);
  expect(await readdir(path.join(old, 'postgres'))).toEqual(['old']);
  const names = ['clickhouse', 'postgres', 'secret.key', path.basename(old)];
  expect((await readdir(target)).sort()).toEqual(names);
});

const archiveOf = async (name: string) => {
  const archive = pack();
  archive.entry({ name }, 'content');
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
};

/** Changes a byte of a file in the archive and compresses it again. Only the manifest reveals the damage. */
function withFlippedByte(content: Buffer): Buffer {
  const archive = gunzipSync(content);
  const at = archive.indexOf('postgres/PG_VERSION');
  archive[at + 512] = 0x39;
  return gzipSync(archive, { level: 1 });
}

test.each<[string, (whole: Buffer) => Buffer | Promise<Buffer>, RegExp]>([
  ['is cut off', (whole) => whole.subarray(0, whole.length / 2), /is cut off, its end is missing/],
  [
    'lacks its end',
    (whole) => gzipSync(gunzipSync(whole).subarray(0, 1024 * 1024), { level: 1 }),
    /cut off|end is missing/,
  ],
  [
    'has a damaged byte',
    (whole) => Buffer.from(whole.with((whole.length / 2) | 0, whole[(whole.length / 2) | 0]! ^ 0xff)),
    /damaged|cut off/,
  ],
  ['has a changed file', withFlippedByte, /postgres\/\S*PG_VERSION in it is damaged/],
  ['is no backup', () => Buffer.from('something else'), /is damaged, or no backup/],
  [
    'would write elsewhere',
    () => archiveOf('postgres/../../outside'),
    /an entry that Waymark does not write/,
  ],
])('a backup that %s is refused, and the data stays', async (_how, damaged, reason) => {
  const target = await mkdtemp(path.join(folder, 'refusing-'));
  await writeFile(path.join(target, 'secret.key'), 'kept');
  const file = path.join(folder, 'damaged.tar.gz');
  await writeFile(file, await damaged(await readFile(backup)));
  await expect(restoreBackup({ dataDir: target, file, logger })).rejects.toThrow(reason);
  expect(await readdir(target)).toEqual(['secret.key']);
  expect(await readFile(path.join(target, 'secret.key'), 'utf8')).toBe('kept');
});

test('a restore that was interrupted while it replaced the data is finished later', async () => {
  const target = await mkdtemp(path.join(folder, 'interrupted-'));
  const put = (text: string, ...place: string[]) => writeFile(path.join(target, ...place), text);
  for (const name of ['postgres', 'secret.key', 'ruleset.snapshot']) await put('old', name);
  await mkdir(path.join(target, UNPACKED));
  // The restore had not begun to replace data, so its unpacked files are removed.
  expect(await finishReplacing(target)).toBe(false);
  expect((await readdir(target)).sort()).toEqual(['postgres', 'ruleset.snapshot', 'secret.key']);

  // One of two was replaced when the process was killed.
  const aside = 'waymark.before-restore-1';
  await mkdir(path.join(target, 'waymark.restored'));
  const plan = { replaced: ['postgres', 'secret.key'], removed: ['ruleset.snapshot'], aside };
  await put(JSON.stringify(plan), 'waymark.restored', 'plan.json');
  await put('new', 'waymark.restored', 'secret.key');
  await mkdir(path.join(target, aside));
  await put('old', aside, 'postgres');
  await put('new', 'postgres');
  expect(await finishReplacing(target)).toBe(true);
  expect((await readdir(target)).sort()).toEqual(['postgres', 'secret.key', aside]);
  expect((await readdir(path.join(target, aside))).sort()).toEqual([
    'postgres',
    'ruleset.snapshot',
    'secret.key',
  ]);
  for (const name of ['postgres', 'secret.key']) {
    expect(await readFile(path.join(target, name), 'utf8')).toBe('new');
    expect(await readFile(path.join(target, aside, name), 'utf8')).toBe('old');
  }
});

test('a backup of a product that does not run is refused with the reason', async () => {
  const file = path.join(folder, 'refused.tar.gz');
  const asked = makeBackup({ dataDir: path.join(folder, 'in-use'), file, signal });
  await expect(asked).rejects.toThrow(/does not run with DATA_DIR/);
  expect(existsSync(file)).toBe(false);
});
