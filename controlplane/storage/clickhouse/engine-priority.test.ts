import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestStore, type TestStore } from './analytics-store.fixture.js';
import { ENGINE_NICENESS } from './engine-priority.js';

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());

/** Nice values of the threads beside the main one. A thread may end meanwhile. */
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
    expect(Number(ofChild)).toBe(getPriority());
    expect(getPriority()).toBeLessThan(ENGINE_NICENESS);
  },
);
