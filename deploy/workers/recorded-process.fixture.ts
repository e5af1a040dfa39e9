import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ownProcessMark } from '../../shared/process/process-mark.js';
import { workersDirectory } from './worker-record.js';

/** A process that logs its signals and has a record as a worker. */
export async function startRecorded(dataDir: string, onSigterm = 'process.exit(0)', port = 0) {
  const sayUp = "console.log('up')";
  const whenUp =
    port === 0 ? sayUp : `require('node:net').createServer().listen(${port}, '127.0.0.1', () => ${sayUp})`;
  const code = `process.on('SIGTERM', () => { console.log('SIGTERM'); ${onSigterm}; });
    setInterval(() => {}, 1000); ${whenUp};`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  await record(dataDir, child);
  return { child, pid: child.pid ?? 0, exited, said: () => said };
}

/** Writes the record of a process as a worker writes its own. */
export async function record(
  dataDir: string,
  { pid = 0 }: ChildProcess,
  changes: object = {},
): Promise<void> {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const mark = { ...(await ownProcessMark()), pid, startTicks };
  mkdirSync(workersDirectory(dataDir), { recursive: true });
  const text = JSON.stringify({ ...mark, port: 8080, version: '1.0.0', ...changes });
  writeFileSync(path.join(workersDirectory(dataDir), `${pid}.json`), text);
}
