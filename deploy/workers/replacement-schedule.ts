import type { ReplacementUrgency } from '../../dataplane/tls/loaded-certificates.js';

/** Minimum time between two replacements, however urgent. */
const MIN_INTERVAL_MS = 60_000;

/** Replaces the workers when they ask for it, at most as often as is set. */
export interface ReplacementSchedule {
  /** A worker needs to be replaced. */
  request(urgency: ReplacementUrgency): void;
  stop(): void;
}

export interface ReplacementScheduleDeps {
  /** Replaces all workers. */
  readonly roll: () => Promise<void>;
  /** Minimum time between two replacements that are not urgent. */
  readonly intervalMs: number;
  /** Monotonic time in milliseconds. */
  readonly nowMs?: () => number;
}

/** The time from the start on counts as the time since a replacement. Urgent replacements wait for up to a minute. */
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

  async function replace(): Promise<void> {
    dueMs = Number.POSITIVE_INFINITY;
    lastMs = nowMs();
    await roll();
  }

  return {
    request(urgency) {
      const earliestMs =
        urgency === 'now'
          ? (lastMs ?? Number.NEGATIVE_INFINITY) + MIN_INTERVAL_MS
          : (lastMs ?? startedAtMs) + intervalMs;
      if (isStopped || earliestMs >= dueMs) return;
      dueMs = Math.max(earliestMs, nowMs());
      clearTimeout(timer);
      timer = setTimeout(() => void replace(), dueMs - nowMs());
      // A supervisor that ends does not wait for it.
      timer.unref();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
