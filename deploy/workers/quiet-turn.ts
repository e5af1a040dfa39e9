import { setImmediate as turnEnd } from 'node:timers/promises';

/** Maximum length of a quiet turn. Such a turn accepted no connections, or few. */
const QUIET_TURN_MS = 0.1;
/** Time limit. Even a busy machine has quiet turns within it. */
const PATIENCE_MS = 50;

/**
 * Resolves at the end of a quiet turn of the event loop. Waiting connections have been accepted by then, and hardly
 * any new ones have come.
 */
export async function quietTurn(nowMs: () => number = () => performance.now()): Promise<void> {
  const deadlineMs = nowMs() + PATIENCE_MS;
  let startedMs: number;
  // The caller is somewhere in the middle of a turn.
  await turnEnd();
  do {
    startedMs = nowMs();
    await turnEnd();
  } while (nowMs() - startedMs > QUIET_TURN_MS && nowMs() < deadlineMs);
}
