import pino, { type Logger } from 'pino';

/**
 * Logs JSON on standard error, synchronously: the last lines before the end of a process are not lost. A line that cannot
 * be written, because the disk is full or nobody reads any more, is dropped and does not end the process.
 */
export function createProcessLogger(name: string, level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  destination.on('error', () => {});
  return pino({ level, name }, destination);
}
