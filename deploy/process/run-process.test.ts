import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';

const ENTRY = path.join(packageRoot(), 'dist/deploy/process/run-process.fixture.js');
/** Time limit of a start and an end. The test kills a process that hangs. */
const TIMEOUT_MS = 20_000;

/** Returns how a process ends after a fault while its embedded store runs an endless statement. */
async function endAfter(fault: string) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-run-'));
  const child = spawn(process.execPath, [ENTRY, dataDir, fault], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await exited;
  return { printed, complaints, code, signal };
}

test.each(['throws', 'rejects'])(
  'a process in which something %s that nobody catches logs it and ends in order, with exit code 1',
  async (fault) => {
    const { complaints, ...end } = await endAfter(fault);
    expect(end).toEqual({ printed: 'running\n', code: 1, signal: null });
    expect(complaints.trim().split('\n')).toEqual([expect.stringContaining('nobody caught this')]);
  },
  TIMEOUT_MS,
);

test(
  'a process that exits in the middle of a statement of the embedded engine is gone at once',
  async () => {
    expect(await endAfter('exits')).toEqual({
      printed: 'running\n',
      complaints: '',
      code: null,
      signal: 'SIGKILL',
    });
  },
  TIMEOUT_MS,
);
