/**
 * Topic of hit batches that are not stored yet. The key is the producer id, so batches of one producer stay in order in
 * one partition.
 */
export const HITS_TOPIC = 'waymark-hits';
/** Topic of batches that can never be stored, for inspection by the operator. The header `reason` has the cause. */
export const DEAD_HITS_TOPIC = 'waymark-hits-dead';
/** The consumer group whose members share the partitions of `HITS_TOPIC`. */
export const INGEST_GROUP = 'waymark-ingest';

/**
 * More partitions let more ingest processes share the work. Kafka can add partitions later but never remove them.
 */
export const DEFAULT_HIT_PARTITIONS = 6;

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3600 * 1000;

/**
 * Maximum message size. Kafka's default is 1 MiB. A batch of a data plane has up to 3.5 MiB, and cannot be split
 * without losing its identity. A topic that was created by other means needs this value as its `max.message.bytes`.
 */
export const MAX_HIT_MESSAGE_BYTES = 4 * MIB;
/** Maximum size of a dead letter, which is a message with additional headers. */
const MAX_DEAD_MESSAGE_BYTES = MAX_HIT_MESSAGE_BYTES + MIB;

/** Settings of a new topic. An existing topic is not changed. */
export interface HitTopic {
  readonly topic: string;
  readonly numPartitions: number;
  readonly configEntries: { name: string; value: string }[];
}

/**
 * Returns the settings of the topic of hits. Batches are kept for 7 days, stored or not. The store can be unavailable
 * for that long.
 */
export function hitsTopic(topic = HITS_TOPIC, partitions = DEFAULT_HIT_PARTITIONS): HitTopic {
  return newTopic(topic, partitions, MAX_HIT_MESSAGE_BYTES, 7 * DAY_MS);
}

/** Returns the settings of the topic of dead hits. They are kept for 30 days. */
export function deadHitsTopic(topic = DEAD_HITS_TOPIC): HitTopic {
  return newTopic(topic, 1, MAX_DEAD_MESSAGE_BYTES, 30 * DAY_MS);
}

function newTopic(topic: string, numPartitions: number, maxBytes: number, retentionMs: number): HitTopic {
  return {
    topic,
    numPartitions,
    configEntries: [
      { name: 'max.message.bytes', value: String(maxBytes) },
      { name: 'retention.ms', value: String(retentionMs) },
      { name: 'cleanup.policy', value: 'delete' },
    ],
  };
}

/** The part of a Kafka admin client that creates topics. */
export interface TopicMaker {
  connect(): Promise<void>;
  createTopics(options: { topics: HitTopic[]; timeout: number }): Promise<boolean>;
  disconnect(): Promise<void>;
}

const CREATE_TIMEOUT_MS = 5_000;

/** Creates the missing topics, with the default replication of the brokers. */
export async function createMissingTopics(admin: TopicMaker, topics: readonly HitTopic[]): Promise<void> {
  try {
    await admin.connect();
    await admin.createTopics({ topics: [...topics], timeout: CREATE_TIMEOUT_MS });
  } finally {
    await admin.disconnect();
  }
}
