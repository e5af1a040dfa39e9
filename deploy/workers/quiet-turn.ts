import { setImmediate as turnEnd } from 'node:timers/promises';

/** A turn as short as this took no connections, or few. */
const QUIET_TURN_MS = 0.1;
/** Time in which quiet turns come by also on a busy machine. */
const PATIENCE_MS = 50;

/**
 * Resolves at the end of a turn of the event loop in which little happened. Connections that were waiting have been
 * accepted then, and hardly any have come since.
 */
export async function quietTurn(nowMs: () => number = () => performance.now()): Promise<void> {
  const deadlineMs = nowMs() + PATIENCE_MS;
  let startedMs: number;
  // The caller is somewhere within a turn.
  await turnEnd();
  do {
    startedMs = nowMs();
    await turnEnd();
  } while (nowMs() - startedMs > QUIET_TURN_MS && nowMs() < deadlineMs);
}
