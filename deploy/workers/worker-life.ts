import type { Logger } from 'pino';
import type { ParentChannel } from './parent-channel.js';
import type { OwnRecord } from './worker-record.js';

/** Maximum time that a worker serves after a kill of its supervisor, unless another one takes over. */
const ALONE_LIMIT_MS = 3_600_000;
const CHECK_INTERVAL_MS = 1_000;

export interface WorkerLifeDeps {
  readonly parent: Pick<ParentChannel, 'onDrain' | 'onGone' | 'handoverMs'>;
  readonly record: OwnRecord;
  /** Whether visitors get answers from a ruleset. */
  readonly isServing: () => boolean;
  /** Drains this process and ends it. Called once. */
  readonly end: () => void;
  readonly logger: Logger;
  /** Default: SIGTERM and SIGINT to this process. */
  readonly onSignal?: (listener: () => void) => void;
  /** Monotonic time in milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Decides when a worker ends. While its supervisor runs, the supervisor decides, and the worker ignores signals: those
 * to the whole process group are meant for the supervisor. A worker without a supervisor continues to serve. It ends on
 * a signal, when its record is removed, or when its time is over.
 */
export function liveWithParent(deps: WorkerLifeDeps): void {
  const { parent, record, isServing, logger, onSignal = onEndSignal, nowMs = () => performance.now() } = deps;
  let isAlone = false;
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    if (isEnding) return;
    isEnding = true;
    clearInterval(timer);
    deps.end();
  }

  function endBecause(reason: string): void {
    if (!isEnding) logger.info({ reason }, 'draining without a supervisor');
    end();
  }

  async function goOnAlone(): Promise<void> {
    if (isEnding) return;
    if (!isServing()) {
      end();
      return;
    }
    isAlone = true;
    const limitMs = parent.handoverMs() ?? ALONE_LIMIT_MS;
    const deadlineMs = nowMs() + limitMs;
    logger.warn({ limitMs }, 'the supervisor is gone; serving until the next one takes over');
    // Without its record the next supervisor could not find this process.
    if (!(await isRecorded())) endBecause('it could not be recorded in DATA_DIR');
    if (isEnding) return;
    timer = setInterval(() => void check(deadlineMs), CHECK_INTERVAL_MS);
  }

  async function isRecorded(): Promise<boolean> {
    if (await record.exists()) return true;
    return record.write().then(
      () => true,
      () => false,
    );
  }

  async function check(deadlineMs: number): Promise<void> {
    if (nowMs() >= deadlineMs) endBecause('no supervisor took over in time');
    else if (!(await record.exists())) endBecause('its record in DATA_DIR was removed');
  }

  onSignal(() => {
    if (isAlone) endBecause('it was told to end');
  });
  parent.onDrain(end);
  parent.onGone(() => void goOnAlone());
}

function onEndSignal(listener: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, listener);
}
