import { afterEach, expect, it, vi } from 'vitest';
import { readProcesses } from '../measure/process-list.js';
import { createChildProcesses } from './child-processes.js';
import { findProgram } from './find-program.js';

const processes = createChildProcesses({ canPin: false });
afterEach(() => processes.killAll());

/** Value from sched(7). */
const SCHED_BATCH = 3;
const WAITS = 'setInterval(() => {}, 1000)';
const IGNORES_SIGTERM = `process.on('SIGTERM', () => {}); console.log('deaf'); ${WAITS}`;
const HAS_A_CHILD = `const { spawn } = require('node:child_process');
  console.log(spawn(process.execPath, ['-e', ${JSON.stringify(WAITS)}]).pid); ${WAITS}`;

async function isRunning(pid: number): Promise<boolean> {
  return (await readProcesses()).some((row) => row.pid === pid && row.residentKib > 0);
}

it('what a process prints and how it ends is known', async () => {
  const launched = await processes.launch(process.execPath, [
    '-e',
    'console.log("out"); console.error("err")',
  ]);
  expect(await launched.ended).toBe(0);
  expect(launched.output()).toBe('out\n');
  expect(launched.complaints()).toContain('err');
});

it('a process has ended when a signal ended it, too', async () => {
  const launched = await processes.launch(process.execPath, ['-e', WAITS]);
  expect(launched.hasEnded()).toBe(false);
  launched.child.kill('SIGKILL');
  expect(await launched.ended).toBe(null);
  expect(launched.hasEnded()).toBe(true);
});

it('a patient process is one of the batch class, where there is one', async () => {
  const policy = "require('node:fs').readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[38]";
  const launched = await processes.launch(
    process.execPath,
    ['-e', `console.log(process.platform === 'linux' ? ${policy} : 'none')`],
    { isBatch: true },
  );
  expect(await launched.ended).toBe(0);
  expect(launched.output()).toBe(
    findProgram('chrt', '--version') === undefined ? 'none\n' : `${SCHED_BATCH}\n`,
  );
});

it('a program that is not there is named', async () => {
  await expect(processes.launch('no-such-program', [])).rejects.toThrow(
    'no-such-program could not be started',
  );
});

it('a process that ignores SIGTERM is killed', async () => {
  const launched = await processes.launch(process.execPath, ['-e', IGNORES_SIGTERM]);
  await vi.waitFor(() => expect(launched.output()).toContain('deaf'));
  await processes.end(launched, 50);
  expect(await isRunning(launched.pid)).toBe(false);
});

it('killing all processes also kills their descendants', async () => {
  const launched = await processes.launch(process.execPath, ['-e', HAS_A_CHILD]);
  await vi.waitFor(() => expect(launched.output()).toMatch(/^\d+\n/));
  const grandchild = Number(launched.output());
  expect(await isRunning(grandchild)).toBe(true);
  processes.killAll();
  await launched.ended;
  await vi.waitFor(async () => expect(await isRunning(grandchild)).toBe(false));
});
