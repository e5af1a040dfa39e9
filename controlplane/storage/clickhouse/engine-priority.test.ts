import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTestStore, type TestStore } from './analytics-store.fixture.js';
import { ENGINE_NICENESS, lowerEnginePriority } from './embedded-store.js';

const priorityBefore = getPriority();
let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());

/** Returns the nice values of all threads except the main one. A thread may end during the read. */
function nicenessOfThreads(): number[] {
  return readdirSync('/proc/self/task')
    .map(Number)
    .filter((thread) => thread !== process.pid)
    .flatMap((thread) => {
      try {
        return [getPriority(thread)];
      } catch {
        return [];
      }
    });
}

it.runIf(process.platform === 'linux')(
  'threads of the engine yield to visitors, also those that begin later; the main thread and its children do not',
  async () => {
    const count = () =>
      test.store.query('SELECT uniqExact(number) AS found FROM numbers_mt(3000000) GROUP BY number % 7');
    const counting = Promise.all([count(), count(), count()]);
    const during = nicenessOfThreads();
    await counting;
    const niceness = [...during, ...nicenessOfThreads()];
    expect(niceness.length).toBeGreaterThan(10);
    expect(niceness.filter((nice) => nice < ENGINE_NICENESS)).toEqual([]);
    const ofChild = execFileSync(process.execPath, ['-p', 'os.getPriority()'], { encoding: 'utf8' });
    expect(getPriority()).toBe(priorityBefore);
    expect(Number(ofChild)).toBe(priorityBefore);
  },
);

it.runIf(process.platform === 'linux')('threads with a lower priority keep it', async () => {
  const yielding = `require('node:os').setPriority(${ENGINE_NICENESS + 5});
    require('node:worker_threads').parentPort.postMessage('ready');
    setInterval(() => {}, 1_000);`;
  const thread = new Worker(yielding, { eval: true });
  onTestFinished(async () => void (await thread.terminate()));
  await once(thread, 'message');
  await lowerEnginePriority();
  expect(nicenessOfThreads()).toContain(ENGINE_NICENESS + 5);
});
