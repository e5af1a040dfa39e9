import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfigError } from '../../shared/config/environment.js';
import { ownProcessMark } from '../../shared/process/process-mark.js';
import { lockDataDir } from './data-dir-lock.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-data-dir-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const said: string[] = [];
const notStopped = new AbortController().signal;
const lock = (folder = dataDir, signal = notStopped) =>
  lockDataDir(folder, { say: (line) => said.push(line), signal });

test('a data directory belongs to one process until it lets go', async () => {
  const first = await lock();
  const refusal = lock();
  await expect(refusal).rejects.toBeInstanceOf(ConfigError);
  await expect(refusal).rejects.toThrow(`DATA_DIR ${dataDir} is in use by process ${process.pid}`);
  await first.release();
  await (await lock()).release();
});

test('a data directory that does not exist is made', async () => {
  await (await lock(path.join(dataDir, 'a', 'b'))).release();
});

test('a data directory that cannot be written to is refused by its name and with the reason', async () => {
  const file = path.join(dataDir, 'a-file');
  await writeFile(file, '');
  const refusal = lock(file);
  await expect(refusal).rejects.toBeInstanceOf(ConfigError);
  await expect(refusal).rejects.toThrow(`DATA_DIR ${file} cannot be written to: EEXIST`);
});

test.runIf(existsSync('/proc'))('a data directory where nothing can be made is refused, too', async () => {
  const refusal = lock('/proc/waymark/data');
  await expect(refusal).rejects.toBeInstanceOf(ConfigError);
  await expect(refusal).rejects.toThrow('DATA_DIR /proc/waymark/data cannot be written to: ENOENT');
});

test('a lock left behind by a process that was killed is taken over at once', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  await writeFile(path.join(dataDir, 'waymark.lock'), JSON.stringify({ ...(await ownProcessMark()), pid }));
  await (await lock()).release();
});

test('a lock of another container is waited for until nobody can be behind it', async () => {
  const file = path.join(dataDir, 'waymark.lock');
  await writeFile(file, JSON.stringify({ ...(await ownProcessMark()), scope: 'elsewhere' }));
  // Last touched nearly 20 s ago, so it becomes stale during the check.
  const touched = new Date(Date.now() - 19_500);
  await utimes(file, touched, touched);
  said.length = 0;
  await (await lock()).release();
  expect(said).toEqual([expect.stringContaining('another container')]);
});

test('a stop ends the wait for the lock of another container', async () => {
  const file = path.join(dataDir, 'waymark.lock');
  const mark = JSON.stringify({ ...(await ownProcessMark()), scope: 'elsewhere' });
  await writeFile(file, mark);
  const stopping = new AbortController();
  said.length = 0;
  const locking = lock(dataDir, stopping.signal);
  await vi.waitFor(() => expect(said).not.toEqual([]));
  stopping.abort();
  await expect(locking).rejects.toHaveProperty('name', 'AbortError');
  expect(await readFile(file, 'utf8')).toBe(mark);
});

test.each([
  { name: 'an unused directory', left: undefined },
  { name: 'a directory with a lock left behind', left: { startTicks: '1' } },
])('of several that start at the same moment in $name one gets it', async ({ left }) => {
  const file = path.join(dataDir, 'waymark.lock');
  if (left !== undefined) await writeFile(file, JSON.stringify({ ...(await ownProcessMark()), ...left }));
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => lock()));
  const taken = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(taken).toHaveLength(1);
  await Promise.all(taken.map(({ value }) => value.release()));
});
