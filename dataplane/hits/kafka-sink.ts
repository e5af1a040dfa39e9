import { CompressionTypes, Kafka, Partitioners, type Producer } from 'kafkajs';
import type { Logger } from 'pino';
import { within } from '../../shared/async/deadline.js';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import { producerIdOf } from '../../shared/hits/hit-batch-codec.js';
import {
  createMissingTopics,
  HITS_TOPIC,
  hitsTopic,
  MAX_HIT_MESSAGE_BYTES,
} from '../../shared/hits/hit-topics.js';
import { type KafkaConnection, kafkaClientOptions } from '../../shared/hits/kafka-client-options.js';

export interface KafkaSinkOptions extends KafkaConnection {
  readonly logger: Logger;
  /** Created if it does not exist. */
  readonly topic?: string;
  /** Number of partitions if this process creates the topic. */
  readonly partitions?: number;
}

/** Totals since the sink was created, and the number of batches in flight. */
export interface KafkaSinkStats {
  /** Batches that Kafka acknowledged. */
  readonly sentBatches: number;
  /** Size of the sent batches, in bytes. */
  readonly sentBytes: number;
  /** Failed attempts. The recorder repeats them. */
  readonly failures: number;
  readonly inFlight: number;
}

/** Sends batches to Kafka. A batch counts as stored once all in-sync replicas have it. */
export interface KafkaSink extends HitSink {
  stats(): KafkaSinkStats;
  /** Closes the connections within seconds. Batches without an acknowledgement by then have failed. */
  close(): Promise<void>;
}

/** Acknowledged by all in-sync replicas. */
const ALL_REPLICAS = -1;
/** Maximum time that brokers wait for replicas. It is shorter than the timeout of a request. */
const REPLICATION_TIMEOUT_MS = 8_000;
/** Maximum time to connect, to find the leader and to send. More means that something hangs. */
const DELIVERY_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Connects with the first batch, and again after a failure. A data plane can therefore start without Kafka.
 * `decisions/0003-hits-through-kafka.md` explains why it repeats little and is not an idempotent producer.
 */
export function createKafkaSink({
  logger,
  topic = HITS_TOPIC,
  partitions,
  ...connection
}: KafkaSinkOptions): KafkaSink {
  const kafka = new Kafka(kafkaClientOptions(connection, logger));
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    retry: { retries: 1 },
  });
  const stats = { sentBatches: 0, sentBytes: 0, failures: 0, inFlight: 0 };
  let ready: Promise<void> | undefined;

  const connect = async () => {
    await createMissingTopics(kafka.admin(), [hitsTopic(topic, partitions)]);
    await producer.connect();
  };

  const send = async (encoded: Uint8Array) => {
    ready ??= connect();
    await ready;
    await sendBatch(producer, topic, encoded);
  };

  return {
    async deliver(encoded) {
      stats.inFlight += 1;
      try {
        await within(DELIVERY_TIMEOUT_MS, 'Kafka', send(encoded));
        stats.sentBatches += 1;
        stats.sentBytes += encoded.length;
      } catch (error) {
        stats.failures += 1;
        // The topic may have vanished with its brokers, so check it before the next batch.
        ready = undefined;
        throw asDeliveryError(error, topic);
      } finally {
        stats.inFlight -= 1;
      }
    },
    stats: () => ({ ...stats }),
    async close() {
      await within(CLOSE_TIMEOUT_MS, 'Kafka', producer.disconnect()).catch((error: unknown) =>
        logger.debug({ err: error }, 'the connection to Kafka did not close in time'),
      );
    },
  };
}

async function sendBatch(producer: Producer, topic: string, encoded: Uint8Array): Promise<void> {
  // Bytes that are not a batch have no order; ingest puts them aside and reports why.
  const key = producerIdOf(encoded) ?? null;
  await producer.send({
    topic,
    acks: ALL_REPLICAS,
    timeout: REPLICATION_TIMEOUT_MS,
    // Batches are compressed already.
    compression: CompressionTypes.None,
    messages: [{ key, value: Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength) }],
  });
}

/** Adds the remedy to the only failure that a retry cannot resolve. */
function asDeliveryError(error: unknown, topic: string): unknown {
  const isTooLarge = error instanceof Error && 'type' in error && error.type === 'MESSAGE_TOO_LARGE';
  if (!isTooLarge) return error;
  const message = `the topic ${topic} refuses a batch for its size: set its max.message.bytes to ${MAX_HIT_MESSAGE_BYTES}`;
  return new Error(message, { cause: error });
}
