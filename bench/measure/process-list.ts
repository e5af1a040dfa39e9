import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `USER_HZ`: the unit of CPU times that the kernel reports to user space, on every architecture. */
const TICKS_PER_SECOND = 100;
const PS_TIMEOUT_MS = 5_000;

/** One line of the operating system's list of processes. */
export interface ProcessRow {
  readonly pid: number;
  readonly parentPid: number;
  /** User and system time of all its threads since it began. */
  readonly cpuSeconds: number;
  readonly residentKib: number;
}

/** All processes of this machine that this one may see. */
export async function readProcesses(): Promise<ProcessRow[]> {
  return process.platform === 'linux' ? readProcFolder() : readPs();
}

/** The process `rootPid` and its descendants. @throws when it is not among `rows` */
export function treeOf(rows: readonly ProcessRow[], rootPid: number): readonly ProcessRow[] {
  const root = rows.find((row) => row.pid === rootPid);
  if (root === undefined) throw new Error(`process ${rootPid} is gone`);
  const tree = [root];
  for (const member of tree) tree.push(...rows.filter((row) => row.parentPid === member.pid));
  return tree;
}

async function readProcFolder(): Promise<ProcessRow[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(
    // A process may end between the listing and the reading.
    pids.map((pid) => readProcess(pid).catch(() => undefined)),
  );
  return rows.filter((row) => row !== undefined);
}

async function readProcess(pid: string): Promise<ProcessRow> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  return parseProcFiles(stat, status);
}

/** Reads `/proc/PID/stat` and `/proc/PID/status`; see proc(5). */
export function parseProcFiles(stat: string, status: string): ProcessRow {
  // The program's name is in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return {
    pid: Number.parseInt(stat, 10),
    parentPid: Number(fields[1]),
    cpuSeconds: (userTicks + systemTicks) / TICKS_PER_SECOND,
    // Kernel threads have no user memory and no such line.
    residentKib: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0),
  };
}

async function readPs(): Promise<ProcessRow[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=,time='], { timeout: PS_TIMEOUT_MS });
  return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parsePsLine(line)]));
}

/** Reads a line `PID PPID KIB TIME` of ps(1), where TIME is `[[days-]hours:]minutes:seconds[.hundredths]`. */
export function parsePsLine(line: string): ProcessRow {
  const [pid, parentPid, residentKib, time = ''] = line.trim().split(/\s+/);
  const [days, clock = ''] = time.includes('-') ? time.split('-') : ['0', time];
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return {
    pid: Number(pid),
    parentPid: Number(parentPid),
    cpuSeconds: Number(days) * 86_400 + seconds,
    residentKib: Number(residentKib),
  };
}
