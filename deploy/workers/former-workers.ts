import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DRAIN_WITHIN_MS } from '../../dataplane/drain-time.js';
import { processState } from '../../shared/process/process-mark.js';
import { readRecords, removeRecord, type WorkerRecord } from './worker-record.js';

/** Time that a worker has to end. It is killed afterwards. */
const RETIRE_WITHIN_MS = DRAIN_WITHIN_MS + 500;
const POLL_MS = 50;
/** Number of polls within which a killed process must disappear. The kernel may wait for a disk first. */
const POLLS_AFTER_KILL = 20;
/** A worker ignores SIGTERM until it has noticed that its supervisor is gone, so the signal is repeated. */
const POLLS_PER_SIGNAL = 10;

/** The workers that an earlier supervisor on the same `DATA_DIR` left serving. */
export interface FormerWorkers {
  readonly pids: readonly number[];
  /**
   * Drains them, and kills those that take too long. Resolves when all have ended; never rejects. Further calls join
   * the first one.
   */
  retire(): Promise<void>;
}

/**
 * Finds the workers of earlier supervisors. Workers that are stopped by a signal answer no visitors, so they are killed
 * immediately. Records of ended processes are removed.
 */
export async function findFormerWorkers(
  dataDir: string,
  logger: Logger,
  retireWithinMs = RETIRE_WITHIN_MS,
): Promise<FormerWorkers> {
  const running: WorkerRecord[] = [];
  for (const record of await readRecords(dataDir)) {
    const { pid } = record;
    // A record of another container or boot is ignored. A worker there drains when its record is gone.
    if (!(await isRunning(record))) await removeRecord(dataDir, pid);
    else if (await isStopped(pid)) await kill(record, 'a stopped data-plane process was killed');
    else running.push(record);
  }
  if (running.length > 0) {
    const workers = running.map(({ pid, port, version }) => ({ pid, port, version }));
    logger.info({ workers }, 'data-plane processes of an earlier run serve until this start has succeeded');
  }

  async function kill(record: WorkerRecord, what: string): Promise<void> {
    logger.warn({ pid: record.pid }, what);
    await signal(record, 'SIGKILL');
    for (let polls = 0; polls < POLLS_AFTER_KILL && (await isRunning(record)); polls += 1)
      await pause(POLL_MS);
    await removeRecord(dataDir, record.pid);
  }

  async function retireOne(record: WorkerRecord): Promise<void> {
    const deadlineMs = performance.now() + retireWithinMs;
    for (let polls = 0; performance.now() < deadlineMs; polls += 1) {
      if (polls % POLLS_PER_SIGNAL === 0) await signal(record, 'SIGTERM');
      await pause(POLL_MS);
      if (await isRunning(record)) continue;
      await removeRecord(dataDir, record.pid);
      return;
    }
    await kill(record, 'a data-plane process of an earlier run did not drain in time and was killed');
  }

  let retiring: Promise<unknown> | undefined;
  return {
    pids: running.map(({ pid }) => pid),
    async retire() {
      retiring ??= Promise.all(running.map(retireOne));
      await retiring;
    },
  };
}

/** Sends a signal to the process of a record. Checks first that it is the same process, because ids are reused. */
async function signal(record: WorkerRecord, name: NodeJS.Signals): Promise<void> {
  if (!(await isRunning(record))) return;
  try {
    process.kill(record.pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

async function isRunning(record: WorkerRecord): Promise<boolean> {
  return (await processState(record)) === 'running';
}

/** Returns whether the process was stopped, for example by SIGSTOP: state `T` in proc(5). */
async function isStopped(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}
