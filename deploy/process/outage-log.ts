import type { LoggerOptions } from 'pino';
import { outageOf } from './outage.js';

/** A server that is away is spoken of this often. */
const REPEAT_INTERVAL_MS = 60_000;
/** Maximum number of different messages whose last time is kept. */
const MAX_KEPT = 1_000;

interface Spoken {
  readonly atMs: number;
  /** Times since then that it was not said again. */
  left: number;
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/**
 * A hook of pino for errors that mean that a server is away: each message gets the member `problem` in place of the
 * error with its stack, and is logged once a minute at most. `repeated` counts what was left out. The same goes for
 * messages that have a `problem` already. Other messages pass as they are.
 */
export function createOutageLog(nowMs: () => number = Date.now): LogMethod {
  const spoken = new Map<string, Spoken>();

  /** @returns how often it was left out before; undefined when it must be left out now */
  function turn(key: string): number | undefined {
    const before = spoken.get(key);
    const atMs = nowMs();
    if (before !== undefined && atMs - before.atMs < REPEAT_INTERVAL_MS) {
      before.left += 1;
      return undefined;
    }
    if (spoken.size >= MAX_KEPT) spoken.clear();
    spoken.set(key, { atMs, left: 0 });
    return before?.left ?? 0;
  }

  return function logMethod(args, method) {
    const [facts, message] = args as unknown as [unknown, unknown];
    const problem = problemIn(facts);
    if (problem === undefined) return method.apply(this, args);
    const repeated = turn(`${String(message)}\n${problem}`);
    if (repeated === undefined) return;
    const { err: _error, ...others } = facts as Record<string, unknown>;
    const told = { ...others, problem, ...(repeated > 0 && { repeated }) };
    method.apply(this, [told, message] as unknown as typeof args);
  };
}

function problemIn(facts: unknown): string | undefined {
  if (typeof facts !== 'object' || facts === null) return undefined;
  if ('problem' in facts && typeof facts.problem === 'string') return facts.problem;
  return 'err' in facts ? outageOf(facts.err) : undefined;
}
