import { randomUUID } from 'node:crypto';
import { CompressionTypes, Kafka, Partitioners, type RecordMetadata } from 'kafkajs';
import { producerIdOf } from '../../shared/hits/hit-batch-codec.js';
import { createMissingTopics, hitsTopic } from '../../shared/hits/hit-topics.js';
import { kafkaClientOptions } from '../../shared/hits/kafka-client-options.js';
import { silentLogger } from '../storage/clickhouse/analytics-store.fixture.js';

/** A topic of one test, with operations on it. */
export interface TestTopic {
  readonly topic: string;
  readonly deadTopic: string;
  readonly groupId: string;
  /** Sends values in order, batches with their producer's id as the key. */
  send(values: readonly Uint8Array[], partition?: number): Promise<RecordMetadata[]>;
  /** Committed offsets of the group by partition; -1 for none. */
  committed(): Promise<number[]>;
  /** Members of the group. */
  members(): Promise<number>;
  /** Content of the dead-letter topic: reason and value. */
  deadLetters(): Promise<{ reason: string; value: Buffer }[]>;
  close(): Promise<void>;
}

export async function createTestTopic(broker: string, partitions: number): Promise<TestTopic> {
  const topic = `test-${randomUUID()}`;
  const deadTopic = `${topic}-dead`;
  const groupId = `${topic}-group`;
  const kafka = new Kafka(kafkaClientOptions({ brokers: [broker] }, silentLogger));
  await createMissingTopics(kafka.admin(), [hitsTopic(topic, partitions)]);
  const admin = kafka.admin();
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await Promise.all([admin.connect(), producer.connect()]);

  return {
    topic,
    deadTopic,
    groupId,
    send: (values, partition) =>
      producer.send({
        topic,
        compression: CompressionTypes.None,
        messages: values.map((value) => ({
          key: producerIdOf(value) ?? null,
          value: Buffer.from(value),
          ...(partition === undefined ? {} : { partition }),
        })),
      }),
    async committed() {
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
      return (offsets?.partitions ?? [])
        .sort((a, b) => a.partition - b.partition)
        .map(({ offset }) => Number(offset));
    },
    async members() {
      const { groups } = await admin.describeGroups([groupId]);
      return groups[0]?.members.length ?? 0;
    },
    async deadLetters() {
      const offsets = await admin.fetchTopicOffsets(deadTopic);
      const end = Number(offsets[0]?.high ?? 0);
      return readMessages(kafka, deadTopic, end);
    },
    async close() {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}

async function readMessages(kafka: Kafka, topic: string, count: number) {
  const found: { reason: string; value: Buffer }[] = [];
  if (count === 0) return found;
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await new Promise<void>((resolve) => {
    void consumer.run({
      eachMessage: async ({ message }) => {
        found.push({ reason: String(message.headers?.reason), value: message.value ?? Buffer.alloc(0) });
        if (found.length === count) resolve();
      },
    });
  });
  await consumer.disconnect();
  return found;
}
