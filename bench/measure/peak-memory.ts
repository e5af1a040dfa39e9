import { readFile } from 'node:fs/promises';
import { readProcesses, treeOf } from './process-list.js';

/** Whether the system keeps the figure. */
export const HAS_PEAK_MEMORY = process.platform === 'linux';

/**
 * The most memory that was ever resident of a process and its descendants, each on its own (`VmHWM`, see proc(5)), in MiB.
 *
 * @throws when process `pid` is gone
 */
export async function readPeakMib(pid: number): Promise<number> {
  const peaks = treeOf(await readProcesses(), pid).map(({ pid: member }) => readPeakKib(member));
  return (await Promise.all(peaks)).reduce((sum, kib) => sum + kib, 0) / 1024;
}

async function readPeakKib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}
