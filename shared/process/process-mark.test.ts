import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ownProcessMark, processState } from './process-mark.js';

it.runIf(process.platform === 'linux')(
  'takes a process for ended whose parent has not yet taken note of its end',
  async () => {
    // The shell becomes a `sleep`, which never asks for the end of the child it has taken over.
    const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(String(printed));
    const stat = async () => (await readFile(`/proc/${pid}/stat`, 'latin1')).split(') ')[1]?.split(' ') ?? [];
    const startTicks = (await stat())[19] ?? '';
    const { scope } = await ownProcessMark();
    expect(await processState({ pid, startTicks, scope })).toBe('running');
    await vi.waitFor(async () => expect((await stat())[0]).toBe('Z'));
    expect(await processState({ pid, startTicks, scope })).toBe('ended');
  },
);
