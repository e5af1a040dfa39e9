import type { LoggerOptions } from 'pino';
import { outageOf } from './outage.js';

/** Interval of messages about an unreachable server. */
const REPEAT_INTERVAL_MS = 60_000;
/** Maximum number of different messages whose last time is kept. */
const MAX_KEPT = 1_000;

interface Spoken {
  readonly atMs: number;
  /** Number of suppressed repetitions since then. */
  left: number;
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/**
 * A hook of pino for errors that mean an unreachable server. Each message has the member `problem` instead of the
 * error with its stack, and is logged at most once a minute. `repeated` counts the suppressed ones. The same applies
 * to messages that have a `problem` already. Other messages pass unchanged.
 */
export function createOutageLog(nowMs: () => number = Date.now): LogMethod {
  const spoken = new Map<string, Spoken>();

  /** @returns the number of suppressed repetitions; undefined when the message must be suppressed */
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
