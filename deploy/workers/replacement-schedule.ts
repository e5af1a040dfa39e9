import type { ReplacementUrgency } from '../../dataplane/tls/loaded-certificates.js';

/** Minimum time between two replacements, however urgent. */
const MIN_INTERVAL_MS = 60_000;
/** Maximum time until a failed replacement is repeated. */
const MAX_RETRY_MS = 3_600_000;

/** Replaces the workers at their request, with a minimum time in between. */
export interface ReplacementSchedule {
  /** A worker needs to be replaced. */
  request(urgency: ReplacementUrgency): void;
  stop(): void;
}

export interface ReplacementScheduleDeps {
  /** Replaces all workers. Resolves to whether all were replaced. */
  readonly roll: () => Promise<boolean>;
  /** Minimum time between two replacements that are not urgent. */
  readonly intervalMs: number;
  /** Monotonic time in milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Creates the schedule. For replacements that are not urgent, the start counts as one. Urgent ones wait until a minute
 * after the former one. A failed one is repeated after a minute, then after twice the time, up to an hour.
 */
export function createReplacementSchedule({
  roll,
  intervalMs,
  nowMs = () => performance.now(),
}: ReplacementScheduleDeps): ReplacementSchedule {
  const startedAtMs = nowMs();
  let lastMs: number | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  let failures = 0;

  async function replace(): Promise<void> {
    dueMs = Number.POSITIVE_INFINITY;
    lastMs = nowMs();
    if (await roll()) {
      failures = 0;
      return;
    }
    failures += 1;
    plan(lastMs + Math.min(MIN_INTERVAL_MS * 2 ** (failures - 1), MAX_RETRY_MS));
  }

  function plan(earliestMs: number): void {
    if (isStopped || earliestMs >= dueMs) return;
    dueMs = Math.max(earliestMs, nowMs());
    clearTimeout(timer);
    timer = setTimeout(() => void replace(), dueMs - nowMs());
    // A stopping supervisor does not wait for it.
    timer.unref();
  }

  return {
    request(urgency) {
      plan(
        urgency === 'now'
          ? (lastMs ?? Number.NEGATIVE_INFINITY) + MIN_INTERVAL_MS
          : (lastMs ?? startedAtMs) + intervalMs,
      );
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
