import pino, { type Logger } from 'pino';

/** Logs JSON on standard error, at once: what a process says right before its end is not lost. */
export function createProcessLogger(name: string, level: string): Logger {
  return pino({ level, name }, pino.destination({ dest: 2, sync: true }));
}
