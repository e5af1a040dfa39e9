import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { mountSmallDisk } from '../../shared/process/small-disk.js';
import { BACKUP_SOCKET } from '../backup/backup-socket.js';
import { makeBackup } from '../backup/make-backup.js';
import { HOST, type Installation, install, storedHits } from './crash-product.fixture.js';
import { DAMAGES, FILES } from './damage.fixture.js';
import { type Product, startForTest } from './product.fixture.js';

const TIMEOUT_MS = 120_000;
const PATIENCE = { timeout: 60_000, interval: 100 };
const VISITS = 3;
const SIZE_MIB = 128;

let installation: Installation;
beforeAll(async () => {
  installation = await install({ hosts: ['other.localhost'], visits: VISITS });
}, TIMEOUT_MS);

interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, boolean>>;
  readonly reasons?: Readonly<Record<string, string>>;
}

const create = (product: Product, fromDomain: string) =>
  product.api<{ error?: { code: string; message: string } }>('POST', '/add-redirect', {
    fromDomain,
    toDomain: 'https://destination.example',
    redirectType: 'temporary',
  });

/** Changes a redirect up to 200 times. @returns the first answer other than 200, or the last one */
async function untilRefused(product: Product, id: string) {
  const change = () => product.api('PATCH', `/redirects/${id}`, { note: randomBytes(400).toString('hex') });
  let answer = await change();
  for (let more = 199; answer.status === 200 && more > 0; more -= 1) answer = await change();
  return answer;
}

/** Fills the disk to the last byte. @returns a function that frees it */
async function fill(place: string): Promise<() => Promise<void>> {
  const filling = path.join(place, 'filling');
  await writeFile(filling, Buffer.alloc(SIZE_MIB * 2 ** 20)).catch(() => undefined);
  return () => rm(filling);
}

test('with a full disk visitors are served; changes work when there is room, and are refused when it is full again', {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const place = await mkdtemp(path.join(os.tmpdir(), 'waymark-full-'));
  const disk = mountSmallDisk(place, SIZE_MIB);
  if (disk === undefined) return context.skip();
  onTestFinished(() => disk.remove());
  const dataDir = path.join(place, 'data');
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), 'waymark-elsewhere-')), 'backup.tar.gz');
  onTestFinished(() => rm(path.dirname(file), { recursive: true }));
  await installation.withCopy((copied) => cp(copied, dataDir, { recursive: true, verbatimSymlinks: true }));
  // A socket cannot be created on a read-only disk, but on a full one.
  await mkdir(path.join(dataDir, BACKUP_SOCKET));
  const free = await fill(place);
  const product = await startForTest({ dataDir, token: installation.token });

  expect((await product.visit(HOST, '/')).status).toBe(302);
  expect((await product.api<Readiness>('GET', '/readyz')).body).toMatchObject({
    ready: false,
    reasons: { database: expect.stringContaining('cannot be written to') },
  });
  expect(await create(product, 'early.localhost')).toMatchObject({
    status: 503,
    body: { error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('disk') } },
  });

  await rmdir(path.join(dataDir, BACKUP_SOCKET));
  await free();
  await vi.waitFor(async () => expect((await product.api('GET', '/readyz')).status).toBe(200), PATIENCE);
  expect((await create(product, 'later.localhost')).status).toBe(201);
  await vi.waitFor(async () => expect((await product.visit('later.localhost', '/')).status).toBe(302));
  expect(await storedHits(product, installation.redirectId)).toBeGreaterThanOrEqual(VISITS);
  // The socket for backups could not be made at the start.
  expect(product.output()).toContain('no backups can be made');
  await vi.waitFor(() => makeBackup({ dataDir, file, signal: new AbortController().signal }), PATIENCE);

  await fill(place);
  // The embedded database ends when it cannot write a change. The first changes may fit into files with free space.
  expect(await untilRefused(product, installation.redirectId)).toMatchObject({
    status: 503,
    body: { error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('disk') } },
  });
  expect(await product.api<Readiness>('GET', '/readyz')).toMatchObject({
    status: 503,
    body: { reasons: { database: expect.stringContaining('the disk is full') } },
  });
  expect((await product.visit(HOST, '/')).status).toBe(302);
});

test(
  'without usable statistics everything else works, and hits wait in the spool',
  { timeout: TIMEOUT_MS },
  () =>
    installation.withCopy(async (dataDir) => {
      DAMAGES.empty(FILES['a definition of statistics']?.(dataDir) ?? '');
      const product = await startForTest({ dataDir, token: installation.token });
      expect((await product.visit(HOST, '/')).status).toBe(302);
      expect((await create(product, 'later.localhost')).status).toBe(201);
      await vi.waitFor(async () => expect((await product.visit('later.localhost', '/')).status).toBe(302));
      expect(await storedHits(product, installation.redirectId)).toBeUndefined();
      const { status, body } = await product.api<Readiness>('GET', '/readyz');
      expect(status).toBe(200);
      expect(body.parts).toMatchObject({ database: true, analytics: false });
      expect(body.reasons?.analytics).toContain('npm run restore -- FILE');
      await vi.waitFor(async () =>
        expect(
          (await readdir(path.join(dataDir, 'hits'))).filter((name) => name.endsWith('.spool')),
        ).not.toEqual([]),
      );
      expect(await product.end('SIGTERM')).toBe(0);
    }),
);
