import { CompressionTypes, Kafka, Partitioners } from 'kafkajs';
import type { Logger } from 'pino';
import { within } from '../../shared/async/deadline.js';
import { createMissingTopics, DEAD_HITS_TOPIC, deadHitsTopic } from '../../shared/hits/hit-topics.js';
import { type KafkaConnection, kafkaClientOptions } from '../../shared/hits/kafka-client-options.js';
import type { RejectedBatches } from './rejected-batches.js';

export interface DeadLettersOptions extends KafkaConnection {
  readonly logger: Logger;
  /** Created if it does not exist. */
  readonly topic?: string;
}

/** Writes batches that cannot be stored to a topic, unchanged, with reason and time in headers. */
export interface DeadLetters extends RejectedBatches {
  /** Closes the connections within seconds. */
  close(): Promise<void>;
}

const ALL_REPLICAS = -1;
const REPLICATION_TIMEOUT_MS = 8_000;
const CLOSE_TIMEOUT_MS = 1_500;

/**
 * Creates the dead-letter topic. `put` throws while the topic is unavailable, so no batch is lost. A batch may appear
 * twice if ingest is killed before it commits its offset.
 */
export function createDeadLetters({
  logger,
  topic = DEAD_HITS_TOPIC,
  ...connection
}: DeadLettersOptions): DeadLetters {
  const kafka = new Kafka(kafkaClientOptions(connection, logger));
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    retry: { retries: 1 },
  });
  let ready: Promise<void> | undefined;

  const connect = async () => {
    await createMissingTopics(kafka.admin(), [deadHitsTopic(topic)]);
    await producer.connect();
  };

  return {
    async put(encoded, reason) {
      try {
        ready ??= connect();
        await ready;
        const [sent] = await producer.send({
          topic,
          acks: ALL_REPLICAS,
          timeout: REPLICATION_TIMEOUT_MS,
          compression: CompressionTypes.None,
          messages: [
            { key: null, value: Buffer.from(encoded), headers: { reason, at: new Date().toISOString() } },
          ],
        });
        return { isKept: true, place: `${topic}, offset ${sent?.baseOffset}` };
      } catch (error) {
        ready = undefined;
        throw error;
      }
    },
    async close() {
      await within(CLOSE_TIMEOUT_MS, 'Kafka', producer.disconnect()).catch((error: unknown) =>
        logger.debug({ err: error }, 'the connection for dead letters did not close in time'),
      );
    },
  };
}
