const PING_INTERVAL_MS = 2_000;
/** Pings without any answer after which a worker counts as hung: 10 s of silence. */
const MAX_UNANSWERED = 5;
/** Maximum delay of a beat. A later one shows that the supervisor itself was busy or stopped. */
const LATE_AFTER_MS = 1.5 * PING_INTERVAL_MS;

/** Watches one worker by pings. */
export interface WorkerPulse {
  /** The worker has answered a ping. */
  answered(): void;
  stop(): void;
}

export interface WorkerPulseDeps {
  readonly ping: () => void;
  /** Called once, when the worker has not answered for 10 s. The watch ends with it. */
  readonly onHung: () => void;
  /** Monotonic time in milliseconds. */
  readonly nowMs?: () => number;
}

/** Starts to watch. The worker is not blamed for the time in which the supervisor was stopped or busy. */
export function startWorkerPulse({
  ping,
  onHung,
  nowMs = () => performance.now(),
}: WorkerPulseDeps): WorkerPulse {
  let unanswered = 0;
  let lastBeatMs = nowMs();
  let isStopped = false;

  function beat(): void {
    if (isStopped) return;
    const isLate = nowMs() - lastBeatMs > LATE_AFTER_MS;
    lastBeatMs = nowMs();
    if (unanswered >= MAX_UNANSWERED && !isLate) {
      stop();
      onHung();
      return;
    }
    unanswered += 1;
    ping();
  }

  // Answers that have arrived are read between a timer and the `setImmediate` that it calls.
  const timer = setInterval(() => setImmediate(beat), PING_INTERVAL_MS);

  function stop(): void {
    isStopped = true;
    clearInterval(timer);
  }

  return {
    answered() {
      unanswered = 0;
    },
    stop,
  };
}
