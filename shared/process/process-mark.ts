import { readFile, readlink } from 'node:fs/promises';
import { codeOf } from './error-facts.js';

/**
 * Identifies a process: process ids are reused, but the pair of id and start time is unique. Without `/proc`, all
 * members except `pid` are empty.
 */
export interface ProcessMark {
  readonly pid: number;
  /** Clock ticks from the start of the machine to the start of the process. */
  readonly startTicks: string;
  /** The scope in which `pid` is unique: one boot of one machine and one pid namespace (container). */
  readonly scope: string;
}

/** `unknown`: the process belongs to another container or machine start, so its state is not visible here. */
export type ProcessState = 'running' | 'ended' | 'unknown';

/** Index of field 22 of `/proc/<pid>/stat`, counted after the name, which may contain spaces: proc(5). */
const START_TICKS_INDEX = 19;

/** Returns the mark of this process. */
export async function ownProcessMark(): Promise<ProcessMark> {
  return {
    pid: process.pid,
    startTicks: (await startTicksOf(process.pid)) ?? '',
    scope: await ownScope(),
  };
}

/** Returns whether the process of a mark still runs. */
export async function processState(mark: ProcessMark): Promise<ProcessState> {
  if (mark.scope !== (await ownScope())) return 'unknown';
  if (!isPidInUse(mark.pid)) return 'ended';
  if (mark.startTicks === '') return 'unknown';
  return (await startTicksOf(mark.pid)) === mark.startTicks ? 'running' : 'ended';
}

/**
 * Returns whether any process here has this id. It may be a later process than the one meant, because ids are reused.
 */
export function isPidInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

/** Returns undefined for a process that has ended, and for a zombie, which holds no resources. */
async function startTicksOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[START_TICKS_INDEX];
}

async function ownScope(): Promise<string> {
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '');
  const pidNamespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${bootId.trim()} ${pidNamespace}`.trim();
}
