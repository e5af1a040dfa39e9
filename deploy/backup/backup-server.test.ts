import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { BackupEntry } from '../../controlplane/storage/backup/backup-entry.js';
import { lockDataDir } from '../process/data-dir-lock.js';
import { type BackupServerDeps, createBackupServer } from './backup-server.js';
import { BACKUP_PATH, BACKUP_SOCKET } from './backup-socket.js';
import { makeBackup } from './make-backup.js';

const { signal } = new AbortController();
const SMALL: BackupEntry = { kind: 'text', name: 'secret.key', text: 'key' };

async function startServer(options: Partial<BackupServerDeps> = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-backup-server-'));
  const dataDir = path.join(folder, 'data');
  await mkdir(dataDir);
  const lines: Record<string, unknown>[] = [];
  const server = createBackupServer({
    dataDir,
    version: '1.2.3',
    async *entries() {
      yield SMALL;
    },
    logger: pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }),
    ...options,
  });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  const file = path.join(folder, 'backup.tar.gz');
  return { folder, dataDir, file, server, lines };
}

test('a backup that nobody reads is ended, and another one can be made', async () => {
  let pieces = 5_000;
  const { dataDir, file, server, lines } = await startServer({
    stallMs: 100,
    async *entries() {
      for (; pieces > 0; pieces -= 1) yield { ...SMALL, text: 'x'.repeat(10_000) };
      yield SMALL;
    },
  });
  await server.start();
  const socketPath = path.join(dataDir, BACKUP_SOCKET);
  const request = http.request({ socketPath, path: BACKUP_PATH, method: 'POST', agent: false }).end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  // The response is paused until a listener for its data is added.
  const ended = once(response, 'error');
  await expect
    .poll(() => lines)
    .toMatchObject([{ msg: 'a backup failed', err: { message: expect.stringContaining('was read') } }]);
  response.resume();
  expect((await ended)[0]).toMatchObject({ code: 'ECONNRESET' });

  expect(pieces).toBeGreaterThan(0);
  pieces = 0;
  expect(await makeBackup({ dataDir, file, signal })).toBeGreaterThan(0);
});

test.each(['before its first byte', 'between two files'])(
  'a backup that stands still %s is given up, and nothing of it is kept',
  async (when) => {
    let goOn = () => {};
    const { folder, dataDir, file, server } = await startServer({
      async *entries() {
        if (when === 'between two files') yield { ...SMALL, text: 'x'.repeat(100_000) };
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        yield SMALL;
      },
    });
    await server.start();
    const backup = makeBackup({ dataDir, file, signal, stallMs: 100 });
    await expect(backup).rejects.toThrow('Waymark sent nothing for 0.1 s');
    expect(await readdir(folder)).toEqual(['data']);
    goOn();
  },
);

test('a socket that could not be made is made by the next start', async () => {
  const { dataDir, file, server, lines } = await startServer();
  await rm(dataDir, { recursive: true });
  await server.start();
  expect(lines).toMatchObject([{ msg: expect.stringContaining('no backups can be made') }]);
  await mkdir(dataDir);
  await Promise.all([server.start(), server.start()]);
  expect(lines).toHaveLength(1);
  expect(await makeBackup({ dataDir, file, signal })).toBeGreaterThan(0);
});

/** Takes the lock that a starting product takes first. */
async function lock(dataDir: string) {
  const taken = await lockDataDir(dataDir, { say: () => {}, signal });
  onTestFinished(() => taken.release());
  return taken;
}

test('a backup waits for a product that is starting', async () => {
  const { dataDir, file, server } = await startServer();
  await lock(dataDir);
  const backup = makeBackup({ dataDir, file, signal });
  let isDone = false;
  void backup.finally(() => {
    isDone = true;
  });
  await expect(makeBackup({ dataDir, file, signal, startWaitMs: 300 })).rejects.toThrow(
    'takes no backups after 0.3 s: it is starting',
  );
  expect(isDone).toBe(false);
  await server.start();
  expect(await backup).toBeGreaterThan(0);
});

test('a backup does not wait for a product that ends, or after it is stopped', async () => {
  const { dataDir, file } = await startServer();
  const stopping = new AbortController();
  const { release } = await lock(dataDir);
  const [ended, stopped] = [signal, stopping.signal].map((given) =>
    makeBackup({ dataDir, file, signal: given }).catch((error: Error) => error.message),
  );
  stopping.abort();
  expect(await stopped).toContain('was stopped');
  await release();
  expect(await ended).toContain('does not run');
});
