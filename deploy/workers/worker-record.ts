import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, ignoring } from '../../shared/process/error-facts.js';
import { ownProcessMark, type ProcessMark } from '../../shared/process/process-mark.js';

/** Record of a worker in `DATA_DIR/workers`, by which the next supervisor finds it. */
export interface WorkerRecord extends ProcessMark {
  /** The visitors' port. */
  readonly port: number;
  /** Version of the build that the worker runs. */
  readonly version: string;
}

/** The file of this worker. It is there from the first `write` that succeeds until `remove`. */
export interface OwnRecord {
  /** Rejects on errors of the disk, and where the system cannot identify processes. */
  write(): Promise<void>;
  /** Whether the file is there. An error other than its absence counts as present. */
  exists(): Promise<boolean>;
  /** Never rejects. */
  remove(): Promise<void>;
}

const FILE_NAME = /^\d+\.json$/;

export function workersDirectory(dataDir: string): string {
  return path.join(dataDir, 'workers');
}

function recordPath(dataDir: string, pid: number): string {
  return path.join(workersDirectory(dataDir), `${pid}.json`);
}

export function createOwnRecord(
  dataDir: string,
  { port, version }: Pick<WorkerRecord, 'port' | 'version'>,
): OwnRecord {
  const filePath = recordPath(dataDir, process.pid);
  return {
    async write() {
      const mark = await ownProcessMark();
      if (mark.startTicks === '') throw new Error('the system does not tell when a process was started');
      const record: WorkerRecord = { ...mark, port, version };
      const unfinished = `${filePath}.${randomUUID()}`;
      // Not recursive: a data directory that was deleted stays deleted.
      await mkdir(workersDirectory(dataDir), { mode: 0o700 }).catch(ignoring('EEXIST'));
      try {
        await writeFile(unfinished, JSON.stringify(record), { flag: 'wx', mode: 0o600 });
        await rename(unfinished, filePath);
      } finally {
        await rm(unfinished, { force: true });
      }
    },
    exists: () =>
      stat(filePath).then(
        () => true,
        (error: unknown) => !['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? ''),
      ),
    remove: () => removeRecord(dataDir, process.pid),
  };
}

/** Removes the record of a worker that has ended. Never rejects. */
export async function removeRecord(dataDir: string, pid: number): Promise<void> {
  await rm(recordPath(dataDir, pid), { force: true }).catch(() => undefined);
}

/** Returns all records in `dataDir`, of running and ended workers. Unreadable files are left out. */
export async function readRecords(dataDir: string): Promise<WorkerRecord[]> {
  const directory = workersDirectory(dataDir);
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => FILE_NAME.test(name)).map((name) => path.join(directory, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.map(parseRecord).filter((record) => record !== undefined);
}

function parseRecord(text: string): WorkerRecord | undefined {
  try {
    const { pid, startTicks, scope, port, version }: Partial<WorkerRecord> = JSON.parse(text);
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 2) return undefined;
    if (typeof startTicks !== 'string' || startTicks === '' || typeof scope !== 'string') return undefined;
    if (typeof port !== 'number' || typeof version !== 'string') return undefined;
    return { pid, startTicks, scope, port, version };
  } catch {
    return undefined;
  }
}
