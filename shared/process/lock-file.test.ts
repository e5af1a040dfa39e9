import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockState, removeFreeLock, takeLockFile } from './lock-file.js';
import { ownProcessMark, processState } from './process-mark.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-lock-'));
  file = path.join(folder, 'some.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a lock file', () => {
  it('holds until it is released', async () => {
    expect(await lockState(file), 'before').toEqual({ state: 'free' });
    const lock = await takeLockFile(file);
    expect(await lockState(file), 'while it is held').toEqual({ state: 'held', pid: process.pid });
    await lock.release();
    expect(await lockState(file), 'after').toEqual({ state: 'free' });
  });

  it('is given only once', async () => {
    const lock = await takeLockFile(file);
    onTestFinished(() => lock.release());
    await expect(takeLockFile(file)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is not removed by those who look for one that was left behind while it is taken', async () => {
    for (let round = 0; round < 300; round += 1) {
      const removals = [0, 1, 2].map(() => removeFreeLock(file));
      const lock = await takeLockFile(file);
      await Promise.all(removals);
      expect(await lockState(file), `round ${round}`).toEqual({ state: 'held', pid: process.pid });
      await lock.release();
    }
  });

  it('that was left behind goes to one at most of those who remove it and take their own', async () => {
    const ended = JSON.stringify({ ...(await ownProcessMark()), startTicks: '1' });
    const removeAndTake = async (turnsLater: number) => {
      for (let turn = 0; turn < turnsLater; turn += 1) await nextTurn();
      await removeFreeLock(file);
      return takeLockFile(file);
    };
    for (let round = 0; round < 150; round += 1) {
      await writeLock(ended, 0);
      const turnsApart = round % 30;
      const outcomes = await Promise.allSettled([0, 1, 2, 3].map((one) => removeAndTake(one * turnsApart)));
      const taken = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(taken.length, `round ${round}`).toBeLessThanOrEqual(1);
      await Promise.all(taken.map(({ value }) => value.release()));
    }
  });

  it('that was left behind is removed, also after who was about to remove it was killed', async () => {
    const ended = JSON.stringify({ ...(await ownProcessMark()), startTicks: '1' });
    await writeLock(ended, 0);
    const claim = createHash('sha256').update(ended).digest('hex').slice(0, 16);
    await writeFile(`${file}.${claim}.removal`, ended);
    await removeFreeLock(file);
    expect(await readdir(folder), 'the claim first').toEqual([path.basename(file)]);
    await removeFreeLock(file);
    expect(await readdir(folder)).toEqual([]);
  });

  it('that another process has taken since is not removed by its former holder', async () => {
    const lock = await takeLockFile(file);
    await rm(file);
    const other = await takeLockFile(file);
    await lock.release();
    expect(await lockState(file)).toMatchObject({ state: 'held' });
    await other.release();
    expect(await lockState(file)).toEqual({ state: 'free' });
  });

  it.each([
    ['a process that has ended', { pid: spawnSync(process.execPath, ['--version']).pid }, 0, 'free'],
    ['an earlier process of the same id', { startTicks: '1' }, 0, 'free'],
    ['a running process that was too busy to touch it', {}, 60_000, 'held'],
    ['another container that touched it just now', { scope: 'elsewhere' }, 0, 'perhaps-held'],
    ['another container that has not touched it for long', { scope: 'elsewhere' }, 60_000, 'free'],
  ])('of %s', async (_name, changes, ageMs, state) => {
    await writeLock(JSON.stringify({ ...(await ownProcessMark()), ...changes }), ageMs);
    expect(await lockState(file)).toMatchObject({ state });
  });

  it.each(['', '{', 'null', '[]', '{"pid":-1}', '{"pid":0,"startTicks":"1","scope":""}'])(
    'that reads %j counts for as long as it is fresh',
    async (content) => {
      await writeLock(content, 0);
      expect(await lockState(file), 'fresh').toMatchObject({ state: 'perhaps-held' });
      await writeLock(content, 60_000);
      expect(await lockState(file), 'old').toEqual({ state: 'free' });
    },
  );

  it('ends with the process that is killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const mark = { ...(await ownProcessMark()), pid: child.pid!, startTicks: '' };
    expect(await processState(mark), 'without its start time').toBe('unknown');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await processState(mark)).toBe('ended');
  });
});

async function writeLock(content: string, ageMs: number): Promise<void> {
  await writeFile(file, content);
  const touched = new Date(Date.now() - ageMs);
  await utimes(file, touched, touched);
}
