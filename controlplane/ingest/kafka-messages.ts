import { setTimeout as delay } from 'node:timers/promises';
import type { EachBatchPayload } from 'kafkajs';
import type { Logger } from 'pino';
import { orAborted } from '../../shared/async/unless-aborted.js';
import type { HitWriter } from './hit-writer.js';

/** Facts about the messages that were read, for metrics. */
export interface MessageProgress {
  /** Finished messages: stored, stored before, or put aside. */
  done: number;
  /** Seconds spent on writing, including failed attempts. */
  writeSeconds: number;
  /** Number of waiting messages by partition, as of the last fetch. */
  readonly lag: Map<number, number>;
  /** Send time of the current message, Unix time in milliseconds; undefined between messages. */
  sentAtMs: number | undefined;
}

export interface MessageWriterDeps {
  readonly writer: HitWriter;
  readonly logger: Logger;
  readonly progress: MessageProgress;
  readonly random: () => number;
  /** Ends the work between two messages. */
  readonly stopping: AbortSignal;
  /** Ends the work even during a write, which is as safe as a kill. */
  readonly abandoning: AbortSignal;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const HEARTBEAT_CHECK_MS = 1_000;
const COMMIT_INTERVAL_MS = 500;
/** Number of messages whose counters are inserted together. An insert of any size takes about 10 ms. */
const MAX_UNSETTLED = 16;

/**
 * Writes the messages of one partition in order. An offset is committed only after its message is finished, so a
 * message may be read again but is never missed. The writer stores it once.
 *
 * While the store fails, it repeats the same message with growing pauses and continues its heartbeats. A rebalance
 * would not help, because the other members have the same store.
 */
export function createMessageWriter(deps: MessageWriterDeps): (payload: EachBatchPayload) => Promise<void> {
  const { writer, progress, stopping } = deps;

  return async (payload) => {
    const { batch, resolveOffset, heartbeat, isRunning, isStale } = payload;
    const commit = () => payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
    const isDone = (work: () => Promise<unknown>) =>
      beating(heartbeat, () => untilDone(work, heartbeat, deps));
    const last = batch.messages.at(-1);
    let unsettled = 0;
    let committedAt = Date.now();
    try {
      for (const message of batch.messages) {
        if (stopping.aborted || !isRunning() || isStale()) return;
        const { value, offset, timestamp } = message;
        progress.sentAtMs = Number(timestamp);
        if (!(await isDone(() => writer.take(value ?? new Uint8Array(0))))) return;
        unsettled += 1;
        if (unsettled < MAX_UNSETTLED && message !== last) continue;
        if (!(await isDone(writer.settle))) return;
        resolveOffset(offset);
        progress.done += unsettled;
        progress.sentAtMs = undefined;
        unsettled = 0;
        progress.lag.set(batch.partition, Number(batch.highWatermark) - Number(offset) - 1);
        if (Date.now() - committedAt >= COMMIT_INTERVAL_MS) {
          await commit();
          committedAt = Date.now();
        }
        await heartbeat();
      }
    } finally {
      progress.sentAtMs = undefined;
      // If it fails, the messages are read again, here or by another member, and recognised.
      await commit().catch((error: unknown) =>
        deps.logger.warn({ err: error }, 'offsets were not committed'),
      );
    }
  };
}

/**
 * Resolves to whether the work is finished.
 *
 * @throws the error of `heartbeat`: the partition is no longer ours
 */
async function untilDone(
  work: () => Promise<unknown>,
  heartbeat: () => Promise<void>,
  deps: MessageWriterDeps,
): Promise<boolean> {
  const { logger, random, stopping } = deps;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await isDoneInTime(work, deps);
    } catch (error) {
      logger.warn({ err: error, pauseMs }, 'hits cannot be stored, trying again until they can');
    }
    await delay(pauseMs * (0.5 + random() / 2), undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return false;
    await heartbeat();
  }
}

/** Resolves to whether the work was completed, and measures its time. */
async function isDoneInTime(
  work: () => Promise<unknown>,
  { progress, abandoning }: MessageWriterDeps,
): Promise<boolean> {
  const startedAt = performance.now();
  try {
    const isDone = work().then(() => true);
    return (await orAborted(abandoning, isDone)) ?? false;
  } finally {
    progress.writeSeconds += (performance.now() - startedAt) / 1_000;
  }
}

/** Sends heartbeats during `work`. The next heartbeat repeats a failed one and reports the error. */
async function beating<Result>(heartbeat: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {
    heartbeat().catch(() => clearInterval(timer));
  }, HEARTBEAT_CHECK_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
