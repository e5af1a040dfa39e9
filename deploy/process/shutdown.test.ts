import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { createShutdown } from './shutdown.js';

const BLOCKED = path.join(packageRoot(), 'dist', 'deploy', 'process', 'blocked-process.fixture.js');

/** A shutdown in a process that only records how it would end. */
function openShutdown() {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as typeof process.exit);
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const shutdown = createShutdown(pino({ level: 'silent' }), { killAfter() {} });
  const stopped: string[] = [];
  const add = (name: string, fault?: Error) =>
    shutdown.add(async () => {
      stopped.push(name);
      if (fault !== undefined) throw fault;
    });
  return { shutdown, add, stopped, exit, kill };
}

test('parts are stopped in reverse order, and the process ends with the requested exit code', async () => {
  const { shutdown, add, stopped, exit } = openShutdown();
  for (const name of ['lock', 'database', 'visitors']) add(name);
  await shutdown.run('SIGTERM', Promise.resolve());
  expect(stopped).toEqual(['visitors', 'database', 'lock']);
  expect(exit.mock.calls).toEqual([[0]]);
});

test('a part that cannot be stopped does not prevent others from stopping, and the exit code is 1', async () => {
  const { shutdown, add, stopped, exit } = openShutdown();
  add('lock');
  add('database', new Error('it is gone'));
  add('visitors', new Error('they stay'));
  await shutdown.run('SIGTERM', Promise.resolve());
  expect(stopped).toEqual(['visitors', 'database', 'lock']);
  expect(exit.mock.calls).toEqual([[1]]);
});

test('nothing is stopped before the start has ended, well or not, and once only', async () => {
  const { shutdown, add, stopped, exit } = openShutdown();
  add('database');
  let fail = (_: Error) => {};
  const starting = new Promise((_resolve, reject) => {
    fail = reject;
  });
  const run = shutdown.run('SIGTERM', starting);
  expect(shutdown.signal.aborted).toBe(true);
  await shutdown.run('SIGTERM', starting);
  expect(stopped).toEqual([]);
  fail(new Error('aborted'));
  await run;
  expect(stopped).toEqual(['database']);
  expect(exit.mock.calls).toEqual([[0]]);
});

test('an error on the way to the end is told by the exit code', async () => {
  const { shutdown, exit } = openShutdown();
  shutdown.add(() => shutdown.run('error', Promise.resolve()));
  await shutdown.run('SIGTERM', Promise.resolve());
  expect(exit.mock.calls).toEqual([[1]]);
});

test('the process does not wait in exit without a limit while a host is looked up', async () => {
  const { shutdown, exit, kill } = openShutdown();
  const busy = vi.spyOn(process, 'getActiveResourcesInfo').mockReturnValue(['GetAddrInfoReqWrap', 'Timeout']);
  const run = shutdown.run('SIGTERM', Promise.resolve());
  await vi.advanceTimersByTimeAsync(9_400);
  expect([exit.mock.calls, kill.mock.calls]).toEqual([[], []]);
  busy.mockReturnValue(['Timeout']);
  await vi.advanceTimersByTimeAsync(90);
  await run;
  expect(exit.mock.calls).toEqual([[0]]);
});

test('a process that hangs is gone within ten seconds', async () => {
  const { shutdown, kill } = openShutdown();
  shutdown.add(() => new Promise(() => {}));
  void shutdown.run('SIGTERM', Promise.resolve());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGKILL']]);
});

test('a process whose own thread is held up while it stops is gone as well', async () => {
  const blocked = spawn(process.execPath, [BLOCKED, '200'], { stdio: 'ignore' });
  onTestFinished(() => void blocked.kill('SIGKILL'));
  expect(await once(blocked, 'exit')).toEqual([null, 'SIGKILL']);
});

test('a delay leaves everything running, says so at once, and extends the time limit', async () => {
  const { shutdown, add, stopped, exit, kill } = openShutdown();
  add('visitors');
  const run = shutdown.run('SIGTERM', Promise.resolve(), 5_000);
  expect([shutdown.leaving.aborted, shutdown.signal.aborted]).toEqual([true, false]);
  expect(shutdown.cause).toBe('SIGTERM');
  await vi.advanceTimersByTimeAsync(4_900);
  expect([stopped, shutdown.signal.aborted]).toEqual([[], false]);
  shutdown.add(() => new Promise((resolve) => setTimeout(resolve, 9_000)));
  await vi.advanceTimersByTimeAsync(200);
  expect(shutdown.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(9_000);
  await run;
  expect(stopped).toEqual(['visitors']);
  expect([exit.mock.calls, kill.mock.calls]).toEqual([[[0]], []]);
});

test('without a delay parts are told at once', () => {
  const { shutdown } = openShutdown();
  expect([shutdown.cause, shutdown.leaving.aborted, shutdown.signal.aborted]).toEqual([
    undefined,
    false,
    false,
  ]);
  void shutdown.run('SIGINT', Promise.resolve());
  expect([shutdown.cause, shutdown.leaving.aborted, shutdown.signal.aborted]).toEqual(['SIGINT', true, true]);
});

test.each([
  { again: 'SIGTERM', code: 0 },
  { again: 'error', code: 1 },
] as const)('a further stop by $again ends the delay', async ({ again, code }) => {
  const { shutdown, exit } = openShutdown();
  const run = shutdown.run('SIGTERM', Promise.resolve(), 60_000);
  await shutdown.run(again, Promise.resolve());
  await run;
  expect(exit.mock.calls).toEqual([[code]]);
  expect(shutdown.cause).toBe('SIGTERM');
});

test.each(['failed-start', 'error'] as const)('a stop because of %s ends with 1', async (cause) => {
  const { shutdown, exit } = openShutdown();
  await shutdown.run(cause, Promise.resolve());
  expect(exit.mock.calls).toEqual([[1]]);
});
