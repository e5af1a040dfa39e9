import pino, { type Logger } from 'pino';
import { createLineOutput } from './line-output.js';
import { createOutageLog } from './outage-log.js';
import { readableLine } from './readable-lines.js';

const STANDARD_ERROR = 2;

/**
 * Logs to standard error, synchronously: the last lines before the end of a process are not lost. The lines are JSON,
 * or readable text if standard error is a terminal. A line that cannot be written, because the disk is full or the
 * reader is gone, is dropped and does not end the process.
 */
export function createProcessLogger(name: string, level: string): Logger {
  const output = createLineOutput(STANDARD_ERROR);
  const readable = { write: (line: string) => output.write(readableLine(line)) };
  return pino(
    { level, name, hooks: { logMethod: createOutageLog() } },
    process.stderr.isTTY ? readable : output,
  );
}
