import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Installation, install } from './crash-product.fixture.js';
import { type Product, startForTest } from './product.fixture.js';

/** More than may be missing without an explanation. */
const HOSTS = Array.from({ length: 20 }, (_, index) => `host-${index}.localhost`);

/** An installation whose last process was killed: all of its redirects are in the WAL. */
let installation: Installation;
beforeAll(async () => {
  installation = await install({ hosts: HOSTS, ending: 'SIGKILL' });
});

const postgres = (dataDir: string, ...names: string[]) => path.join(dataDir, 'postgres', ...names);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size > 0);
}

/** Inverts `count` bytes, evenly over the file. */
async function flipBytes(file: string, count: number): Promise<void> {
  const handle = await open(file, 'r+');
  const { size } = await handle.stat();
  const byte = Buffer.alloc(1);
  for (let index = 0; index < count; index += 1) {
    const position = Math.floor((size / count) * (index + 0.5));
    await handle.read(byte, 0, 1, position);
    byte.writeUInt8(byte.readUInt8(0) ^ 0xff);
    await handle.write(byte, 0, 1, position);
  }
  await handle.close();
}

/** Cuts the WAL to half of its written part. The rest of a segment is zeros. */
async function cutWal(dataDir: string): Promise<void> {
  for (const file of filesBelow(postgres(dataDir, 'pg_wal'))) {
    const bytes = await readFile(file);
    let used = bytes.length;
    while (used > 0 && bytes[used - 1] === 0) used -= 1;
    const handle = await open(file, 'r+');
    await handle.truncate(Math.floor(used / 2));
    await handle.truncate(bytes.length);
    await handle.close();
  }
}

const DAMAGES: readonly { readonly name: string; damage(dataDir: string): Promise<unknown> }[] = [
  { name: 'its folder is missing', damage: (dataDir) => rm(postgres(dataDir), { recursive: true }) },
  {
    name: 'its folder is empty',
    async damage(dataDir) {
      await rm(postgres(dataDir), { recursive: true });
      await mkdir(postgres(dataDir));
    },
  },
  { name: 'PG_VERSION is missing', damage: (dataDir) => rm(postgres(dataDir, 'PG_VERSION')) },
  { name: 'the WAL is cut to half', damage: cutWal },
  {
    name: 'the WAL is missing',
    damage: (dataDir) => Promise.all(filesBelow(postgres(dataDir, 'pg_wal')).map((file) => rm(file))),
  },
  {
    name: 'bytes of pg_control are flipped',
    damage: (dataDir) => flipBytes(postgres(dataDir, 'global', 'pg_control'), 200),
  },
  {
    name: 'bytes of every table are flipped',
    async damage(dataDir) {
      for (const file of filesBelow(postgres(dataDir, 'base'))) await flipBytes(file, 200);
    },
  },
];

async function expectServed(product: Product): Promise<void> {
  for (const host of HOSTS) expect((await product.visit(host, '/')).status).toBe(302);
}

describe('when the embedded database is lost', () => {
  test.each(DAMAGES)('because $name, visitors are served and nothing is replaced', ({ damage }) =>
    installation.withCopy(async (dataDir) => {
      await damage(dataDir);
      const snapshot = await readFile(path.join(dataDir, 'ruleset.snapshot'));
      const product = await startForTest({ dataDir, token: installation.token });

      await expectServed(product);
      expect(product.output()).toContain('Nothing can be changed.');
      expect(product.output()).toContain('npm run restore -- FILE');
      expect(product.output()).toContain('--accept-empty-database');
      const ready = await product.api<{ reasons: Record<string, string> }>('GET', '/readyz');
      expect(ready.status).toBe(503);
      expect(Object.values(ready.body.reasons).join()).toContain('--accept-empty-database');
      const created = await product.api<{ error: { code: string } }>('POST', '/add-redirect', {
        fromDomain: 'new.localhost',
        toDomain: 'https://destination.example',
      });
      expect(created.status).toBe(503);
      expect(created.body.error.code).toBe('SERVICE_UNAVAILABLE');
      // Longer than the interval at which data planes and the publisher check for changes.
      await vi.waitFor(async () => expect((await fetch(`${product.adminAddress}/readyz`)).status).toBe(200));
      expect(await product.end('SIGTERM')).toBe(0);
      expect(await readFile(path.join(dataDir, 'ruleset.snapshot'))).toEqual(snapshot);
    }),
  );

  test.each(DAMAGES.filter(({ name }) => /folder is missing|pg_control/.test(name)))(
    'because $name, one start with --accept-empty-database begins anew and keeps what is damaged',
    ({ damage }) =>
      installation.withCopy(async (dataDir) => {
        await damage(dataDir);
        const isThere = existsSync(postgres(dataDir));
        const product = await startForTest({ dataDir, args: ['--accept-empty-database'] });
        await vi.waitFor(async () => expect((await product.visit(HOSTS.at(-1) ?? '', '/')).status).toBe(404));
        expect((await product.api('GET', '/readyz')).status).toBe(200);
        expect(await product.end('SIGTERM')).toBe(0);
        const aside = (await readdir(dataDir)).filter((name) => name.startsWith('postgres.damaged-'));
        expect(aside).toHaveLength(isThere ? 1 : 0);

        const next = await startForTest({ dataDir, token: product.token });
        expect((await next.api('GET', '/readyz')).status).toBe(200);
        expect((await next.api('GET', '/get-redirects/me')).status).toBe(200);
        expect(await next.end('SIGTERM')).toBe(0);
      }),
  );
});
