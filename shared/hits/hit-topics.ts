/** Hit batches on their way to the store, keyed by producer id: order per producer is order in a partition. */
export const HITS_TOPIC = 'waymark-hits';
/** Batches that can never be stored, for a person to look at; the header `reason` says why. */
export const DEAD_HITS_TOPIC = 'waymark-hits-dead';
/** The consumer group whose members share the partitions of `HITS_TOPIC`. */
export const INGEST_GROUP = 'waymark-ingest';

/** More partitions let more ingesters share the work. Kafka can add some later, never take any away. */
export const DEFAULT_HIT_PARTITIONS = 6;

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3600 * 1000;

/**
 * Kafka takes 1 MiB by default; a batch of a data plane is up to 3.5 MiB, and cannot be split without losing its
 * name. A topic that somebody else has made needs this as its `max.message.bytes`.
 */
export const MAX_HIT_MESSAGE_BYTES = 4 * MIB;
/** A dead letter is a message with headers added. */
const MAX_DEAD_MESSAGE_BYTES = MAX_HIT_MESSAGE_BYTES + MIB;

/** Settings of a new topic. An existing one stays as it is. */
export interface HitTopic {
  readonly topic: string;
  readonly numPartitions: number;
  readonly configEntries: { name: string; value: string }[];
}

/** Kept for 7 days, stored or not: for so long the store may be away. */
export function hitsTopic(topic = HITS_TOPIC, partitions = DEFAULT_HIT_PARTITIONS): HitTopic {
  return newTopic(topic, partitions, MAX_HIT_MESSAGE_BYTES, 7 * DAY_MS);
}

/** Kept for 30 days. */
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

/** The part of a Kafka administration client that makes topics. */
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
