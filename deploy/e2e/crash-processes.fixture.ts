import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether /proc has facts about processes, as on Linux. The tests that need them do not run elsewhere. */
export const hasProcessFacts = process.platform === 'linux';

/** Direct children of a process. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Whether a process is there and not merely waiting to be buried. */
export function isRunning(pid: number): boolean {
  return !['Z', 'X', undefined].includes(statOf(pid)?.[0]);
}

/** All processes of a process group. */
export function groupMembers(processGroup: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.[2] === String(processGroup) && isRunning(pid));
}

/** Resident memory in MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/**
 * Counts open descriptors: sockets, and all others. Excludes descriptors of the analytics engine, which opens and
 * closes its parts and one descriptor per thread at any time.
 */
export function openDescriptors(pid: number): { readonly sockets: number; readonly others: number } {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return '/proc/closed-meanwhile';
    }
  });
  const counted = targets.filter((target) => !/^\/proc\/|\/clickhouse\//.test(target));
  const sockets = counted.filter((target) => target.startsWith('socket:')).length;
  return { sockets, others: counted.length - sockets };
}

/** The fields of /proc/PID/stat from the third on: state, parent, process group … */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
