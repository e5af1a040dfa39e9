import { type EachBatchPayload, Kafka } from 'kafkajs';
import type { Logger } from 'pino';
import { createMissingTopics, hitsTopic, MAX_HIT_MESSAGE_BYTES } from '../../shared/hits/hit-topics.js';
import { type KafkaConnection, kafkaClientOptions } from '../../shared/hits/kafka-client-options.js';

export interface HitConsumerOptions extends KafkaConnection {
  readonly topic: string;
  readonly groupId: string;
  /** Silence after which a member loses its partitions. */
  readonly sessionTimeoutMs: number;
  readonly logger: Logger;
  onMessages(payload: EachBatchPayload): Promise<void>;
  /** Called after a rebalance. */
  onAssigned(partitions: readonly number[]): void;
  /** Called when the group has answered a heartbeat. */
  onHeartbeat(): void;
}

/** One membership in the consumer group, until it leaves or fails. */
export interface HitConsumer {
  /** Resolves to the reason of its end; never after `close`. */
  readonly failed: Promise<unknown>;
  /** Leaves the group after the current message. */
  close(): Promise<void>;
}

/** Longer than any write and its repetitions between two heartbeats. */
const REBALANCE_TIMEOUT_MS = 60_000;
const LONG_POLL_MS = 500;
export const HEARTBEATS_PER_SESSION = 5;

/**
 * Joins the group. Creates the topic if necessary. kafkajs handles rebalances and short outages of a broker. `failed`
 * reports longer ones, and the caller starts again.
 *
 * @throws when Kafka is unreachable
 */
export async function openHitConsumer(options: HitConsumerOptions): Promise<HitConsumer> {
  const { topic, groupId, sessionTimeoutMs, logger, onMessages, onAssigned, onHeartbeat } = options;
  const kafka = new Kafka(kafkaClientOptions(options, logger));
  await createMissingTopics(kafka.admin(), [hitsTopic(topic)]);
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: sessionTimeoutMs / HEARTBEATS_PER_SESSION,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    maxWaitTimeInMs: LONG_POLL_MS,
    maxBytesPerPartition: MAX_HIT_MESSAGE_BYTES,
    maxBytes: 2 * MAX_HIT_MESSAGE_BYTES,
    allowAutoTopicCreation: false,
    retry: { retries: 2, initialRetryTime: 200, maxRetryTime: 1_000, restartOnFailure: async () => false },
  });
  const failed = new Promise<unknown>((resolve) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => resolve(payload.error));
  });
  consumer.on(consumer.events.HEARTBEAT, onHeartbeat);
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => onAssigned(payload.memberAssignment[topic] ?? []));
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: onMessages });
  } catch (error) {
    await consumer.disconnect();
    throw error;
  }
  return { failed, close: () => consumer.disconnect() };
}
