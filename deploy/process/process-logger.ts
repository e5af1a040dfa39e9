import pino, { type Logger } from 'pino';
import { createOutageLog } from './outage-log.js';
import { readableLine } from './readable-lines.js';

const STANDARD_ERROR = 2;

/**
 * Logs on standard error, at once: what a process says right before its end is not lost. JSON, or lines for a person
 * where standard error is a terminal.
 */
export function createProcessLogger(name: string, level: string): Logger {
  const output = pino.destination({ dest: STANDARD_ERROR, sync: true });
  const readable = { write: (line: string) => void output.write(readableLine(line)) };
  return pino(
    { level, name, hooks: { logMethod: createOutageLog() } },
    process.stderr.isTTY ? readable : output,
  );
}
