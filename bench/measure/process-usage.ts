import { type ProcessRow, readProcesses, treeOf } from './process-list.js';

/** Resources that a process and its descendants used, as the operating system counts them. */
export interface ProcessUsage {
  /** User and system time of all threads so far. */
  readonly cpuSeconds: number;
  /** Resident memory now; pages that processes share count for each of them. */
  readonly residentMib: number;
}

/** @throws when process `pid` is gone */
export async function readUsage(pid: number): Promise<ProcessUsage> {
  return usageOfTree(await readProcesses(), pid);
}

/** Usage of `rootPid` and its descendants. @throws when it is not among `rows` */
export function usageOfTree(rows: readonly ProcessRow[], rootPid: number): ProcessUsage {
  const tree = treeOf(rows, rootPid);
  return {
    cpuSeconds: tree.reduce((sum, row) => sum + row.cpuSeconds, 0),
    residentMib: tree.reduce((sum, row) => sum + row.residentKib, 0) / 1024,
  };
}
