import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { mountSmallDisk } from '../../../shared/process/small-disk.js';
import { copyEmbeddedTemplate } from './embedded-template.fixture.js';
import { openDatabase } from './open-database.js';

const SIZE_MIB = 96;
const FULL = { name: 'DatabaseFullError' };

it('an embedded database on a disk that is full refuses changes, and works again when there is room', async (context) => {
  const place = await mkdtemp(path.join(tmpdir(), 'waymark-reviving-'));
  const disk = mountSmallDisk(place, SIZE_MIB);
  if (disk === undefined) return context.skip();
  onTestFinished(async () => {
    disk.remove();
    await rm(place, { recursive: true, force: true });
  });
  await copyEmbeddedTemplate(place);
  const database = await openDatabase({ databaseUrl: undefined, dataDir: place }, pino({ level: 'silent' }));
  onTestFinished(() => database.close());
  await database.script('CREATE TABLE filler (id int PRIMARY KEY, text text)');
  const add = (id: number, size: number) =>
    database.query('INSERT INTO filler VALUES ($1, $2)', [id, 'x'.repeat(size)]);
  const rows = async () => (await database.query<{ id: number }>('SELECT id FROM filler ORDER BY id')).length;
  await add(1, 10);
  const { bavail, bsize } = await statfs(place);
  const filling = path.join(place, 'filling');
  await writeFile(filling, Buffer.alloc(bavail * bsize, 'x')).catch(() => undefined);

  await database.script('ALTER TABLE filler ALTER COLUMN text SET STORAGE PLAIN');
  const grow = async () => {
    for (let id = 100; id < 1_000; id += 1) await add(id, 7_000);
  };
  await expect(grow()).rejects.toMatchObject(FULL);
  expect(await rows()).toBeGreaterThan(0);

  // PostgreSQL panics here, and the next statement would end this process.
  const stored = await rows();
  await expect(database.query('CHECKPOINT')).rejects.toMatchObject(FULL);
  await expect(database.query('SELECT 1')).rejects.toMatchObject(FULL);
  await expect(database.ping()).rejects.toMatchObject(FULL);
  await expect(database.transaction((tx) => tx.query('SELECT 1'))).rejects.toMatchObject(FULL);

  await rm(filling);
  await expect.poll(() => rows().catch(() => undefined), { timeout: 60_000 }).toBe(stored);
  await add(2, 10);
  expect(await rows()).toBe(stored + 1);
});
