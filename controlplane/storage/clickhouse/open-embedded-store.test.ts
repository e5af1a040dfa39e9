import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mountSmallDisk } from '../../../shared/process/small-disk.js';
import { type EmbeddedStore, openEmbeddedStore } from './open-embedded-store.js';

const ROWS = 1_000;
let folder: string;
let original: string;
const lines: string[] = [];
const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) });

async function open(dataDir: string): Promise<EmbeddedStore> {
  lines.length = 0;
  const store = await openEmbeddedStore(dataDir, logger, {
    signal: new AbortController().signal,
    retryIntervalMs: 20,
  });
  onTestFinished(() => store.close());
  return store;
}

const insert = (store: EmbeddedStore) =>
  store.command(
    `INSERT INTO hits (redirect_id, timestamp, host, path)
     SELECT 'r', now64(3), 'shop.example', toString(number) FROM numbers(${ROWS})`,
  );
const rows = async (store: EmbeddedStore) =>
  (await store.query<{ rows: number }>('SELECT count() AS rows, sum(ignore(*)) AS read FROM hits'))[0]?.rows;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-embedded-'));
  original = path.join(folder, 'original');
  const store = await openEmbeddedStore(original, logger, {
    signal: new AbortController().signal,
    retryIntervalMs: 20,
  });
  await insert(store);
  await store.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A copy of the store, to be damaged. */
async function copy(): Promise<string> {
  const dataDir = await mkdtemp(path.join(folder, 'copy-'));
  await cp(original, dataDir, { recursive: true, verbatimSymlinks: true });
  return dataDir;
}

const tableFolder = (dataDir: string) => realpathSync(path.join(dataDir, 'clickhouse/data/default/hits'));
const definitions = (dataDir: string) => realpathSync(path.join(dataDir, 'clickhouse/metadata/default'));

function partFile(dataDir: string, name: string): string {
  const table = tableFolder(dataDir);
  const [part = ''] = readdirSync(table).filter((entry) => /^\d+_\d+_\d+_\d+$/.test(entry));
  return path.join(table, part, name);
}

function flip(file: string): void {
  const bytes = readFileSync(file);
  for (let at = 10; at < bytes.length; at += Math.ceil(bytes.length / 20))
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

describe('an embedded store that cannot be opened', () => {
  it.each<[string, (dataDir: string) => unknown]>([
    ['a definition is flipped', (dataDir) => flip(path.join(definitions(dataDir), 'hits.sql'))],
    ['a definition is empty', (dataDir) => writeFile(path.join(definitions(dataDir), 'hits.sql'), '')],
    ['a definition is removed', (dataDir) => rm(path.join(definitions(dataDir), 'hits.sql'))],
    [
      'a definition names another folder',
      (dataDir) => {
        const file = path.join(definitions(dataDir), 'hits.sql');
        writeFileSync(file, readFileSync(file, 'utf8').replace(/UUID '..../, "UUID '0000"));
      },
    ],
    [
      'a format version is flipped',
      (dataDir) => writeFile(path.join(tableFolder(dataDir), 'format_version.txt'), 'x'),
    ],
    ['the folder of a table is removed', (dataDir) => rm(tableFolder(dataDir), { recursive: true })],
    ['the definitions are removed', (dataDir) => rm(path.join(dataDir, 'clickhouse/metadata/default'))],
  ])('refuses everything and says what to do: %s', async (_name, damage) => {
    const dataDir = await copy();
    await damage(dataDir);
    const store = await open(dataDir);
    await expect(rows(store)).rejects.toMatchObject({ failure: 'unavailable' });
    await expect(insert(store)).rejects.toMatchObject({ failure: 'unavailable' });
    expect(store.problem).toContain('npm run restore -- FILE');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('Until then hits wait');
  });

  it('is opened when a disk that was full has room', async (context) => {
    const place = await mkdtemp(path.join(folder, 'disk-'));
    const disk = mountSmallDisk(place, 40);
    if (disk === undefined) return context.skip();
    onTestFinished(() => disk.remove());
    const filling = path.join(place, 'filling');
    await cp(path.join(original, 'clickhouse'), path.join(place, 'clickhouse.aside'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    // With a file in its place the folder cannot be opened, as on a disk that is full to the last inode.
    await writeFile(path.join(place, 'clickhouse'), '');
    await writeFile(filling, Buffer.alloc(30 * 1024 ** 2));
    const store = await open(place);
    await expect(rows(store)).rejects.toMatchObject({ failure: 'unavailable' });
    expect(store.problem).toContain('the disk is full');
    await rm(path.join(place, 'clickhouse'));
    await rename(path.join(place, 'clickhouse.aside'), path.join(place, 'clickhouse'));
    await rm(filling);
    await expect.poll(() => rows(store).catch(() => undefined), { timeout: 60_000 }).toBe(ROWS);
    expect(store.problem).toBeUndefined();
  });
});

describe('damaged parts of an embedded store', () => {
  it.each<[string, (file: (name: string) => string) => unknown]>([
    ['data is cut', (file) => truncate(file('data.bin'), 100)],
    ['data is missing', (file) => rm(file('data.bin'))],
    ['checksums are flipped', (file) => flip(file('checksums.txt'))],
    ['columns are empty', (file) => writeFile(file('columns.txt'), '')],
    ['marks are flipped', (file) => flip(file('data.cmrk4'))],
  ])('are put aside at the start, counted and named: %s', async (_name, damage) => {
    const dataDir = await copy();
    await damage((name) => partFile(dataDir, name));
    const store = await open(dataDir);
    expect(await rows(store)).toBe(0);
    expect(store.partsAside).toEqual({ parts: 1, rows: ROWS });
    expect(lines.join('')).toContain('damaged parts that were put aside');
    await insert(store);
    expect(await rows(store)).toBe(ROWS);
  });

  it.each(['data.bin', 'primary.cidx'])(
    'are put aside when a statement meets one: flipped bytes in %s',
    async (name) => {
      const dataDir = await copy();
      flip(partFile(dataDir, name));
      const store = await open(dataDir);
      expect(store.partsAside).toEqual({ parts: 0, rows: 0 });
      const statements = [
        'SELECT sum(ignore(*)) FROM hits',
        "SELECT count() FROM hits WHERE redirect_id = 'x'",
      ];
      const meet = async () => {
        for (const statement of statements) await store.query(statement);
      };
      await expect(meet()).rejects.toMatchObject({ failure: 'unavailable' });
      await expect.poll(() => store.partsAside, { timeout: 60_000 }).toEqual({ parts: 1, rows: ROWS });
      await meet();
      expect(await rows(store)).toBe(0);
      expect(lines.join('')).toContain('a damaged part of the statistics was put aside');
    },
  );
});
