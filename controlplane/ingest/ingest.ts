import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { settledWithin } from '../../shared/async/deadline.js';
import { orAborted } from '../../shared/async/unless-aborted.js';
import { HITS_TOPIC, INGEST_GROUP } from '../../shared/hits/hit-topics.js';
import type { KafkaConnection } from '../../shared/hits/kafka-client-options.js';
import type { HitWriter } from './hit-writer.js';
import { HEARTBEATS_PER_SESSION, openHitConsumer } from './kafka-consumer.js';
import { createMessageWriter, type MessageProgress } from './kafka-messages.js';

export interface IngestOptions extends KafkaConnection {
  readonly writer: HitWriter;
  readonly logger: Logger;
  readonly topic?: string;
  readonly groupId?: string;
  /** Time after a kill until other consumers take over. */
  readonly sessionTimeoutMs?: number;
  /** Called when the partitions were assigned again, before their messages arrive. */
  readonly onAssigned?: () => void;
  readonly random?: () => number;
}

/** Further counters. */
export interface IngestStats {
  /** Whether Kafka answers the heartbeats of this member. */
  readonly isConsuming: boolean;
  readonly partitions: number;
  readonly messages: number;
  /** Number of waiting messages in our partitions at the last fetch. */
  readonly lagMessages: number;
  /** Age of the message that is being written, which grows while the store is away; 0 between messages. */
  readonly lagSeconds: number;
  readonly writeSeconds: number;
  /** Number of rebalances. */
  readonly assignments: number;
  /** Number of failures to join the group, and of lost memberships. */
  readonly failures: number;
}

/** Moves hits from Kafka into the store. */
export interface Ingest {
  /** Runs until `stop`, with or without Kafka. */
  start(): void;
  /** Commits finished messages and leaves the group, within 5.5 s. */
  stop(): Promise<void>;
  stats(): IngestStats;
}

const SESSION_TIMEOUT_MS = 15_000;
/** Number of unanswered heartbeats after which Kafka counts as hanging. kafkajs itself waits for 30 s and more. */
const MISSED_HEARTBEATS = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** Maximum time of a write after `stop`. */
const WRITE_GRACE_MS = 4_000;
/** Maximum time of `stop`. With the time of other parts it must fit into the stop time of the process. */
const STOP_TIMEOUT_MS = 5_500;

export function createIngest(options: IngestOptions): Ingest {
  const { writer, logger, random = Math.random, topic = HITS_TOPIC, groupId = INGEST_GROUP } = options;
  const stopping = new AbortController();
  const abandoning = new AbortController();
  const progress: MessageProgress = { done: 0, writeSeconds: 0, lag: new Map(), sentAtMs: undefined };
  const onMessages = createMessageWriter({
    writer,
    logger,
    progress,
    random,
    stopping: stopping.signal,
    abandoning: abandoning.signal,
  });
  const sessionTimeoutMs = options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS;
  const silenceMs = (MISSED_HEARTBEATS * sessionTimeoutMs) / HEARTBEATS_PER_SESSION;
  let isMember = false;
  let heardMs = 0;
  let partitions = 0;
  let assignments = 0;
  let failures = 0;
  let running: Promise<void> | undefined;

  const onHeartbeat = () => {
    heardMs = performance.now();
  };

  const onAssigned = (assigned: readonly number[]) => {
    isMember = true;
    onHeartbeat();
    partitions = assigned.length;
    assignments += 1;
    progress.lag.clear();
    options.onAssigned?.();
    logger.info({ partitions: assigned }, 'this ingester has its partitions');
  };

  /**
   * One membership.
   *
   * @throws the reason of its end, unless it was `stop`
   */
  const takePart = async () => {
    const consumer = await openHitConsumer({
      ...options,
      topic,
      groupId,
      sessionTimeoutMs,
      onMessages,
      onAssigned,
      onHeartbeat,
    });
    try {
      const failure = await orAborted(stopping.signal, consumer.failed);
      if (failure !== undefined) throw failure;
    } finally {
      isMember = false;
      partitions = 0;
      await consumer.close();
    }
  };

  const run = async () => {
    for (let pauseMs = FIRST_PAUSE_MS; !stopping.signal.aborted; ) {
      const before = progress.done;
      try {
        await takePart();
      } catch (error) {
        failures += 1;
        pauseMs = progress.done > before ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        logger.warn({ err: error, pauseMs }, 'hits cannot be read from Kafka, trying again until they can');
        // The process must not end because it has nothing to wait for.
        const pauseOptions = { signal: stopping.signal };
        await delay(pauseMs * (0.5 + random() / 2), undefined, pauseOptions).catch(() => undefined);
      }
    }
  };

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      const grace = setTimeout(() => abandoning.abort(), WRITE_GRACE_MS);
      if (running !== undefined) await settledWithin(STOP_TIMEOUT_MS, running);
      clearTimeout(grace);
    },
    stats: () => ({
      isConsuming: isMember && performance.now() - heardMs < silenceMs,
      partitions,
      messages: progress.done,
      lagMessages: [...progress.lag.values()].reduce((sum, lag) => sum + lag, 0),
      lagSeconds: progress.sentAtMs === undefined ? 0 : Math.max(0, Date.now() - progress.sentAtMs) / 1_000,
      writeSeconds: progress.writeSeconds,
      assignments,
      failures,
    }),
  };
}
