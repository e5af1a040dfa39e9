import type { Logger } from 'pino';

/** How to reach Kafka. What a cluster with TLS and logins needs is to become members of this, never part of a broker's name. */
export interface KafkaConnection {
  /** `host:port` of some brokers; the rest of the cluster is found through them. */
  readonly brokers: readonly string[];
}

/** What kafkajs hands to its logger, as far as we pass it on. */
interface KafkaLogEntry {
  readonly namespace: string;
  readonly log: { readonly message: string; readonly [detail: string]: unknown };
}

const CONNECTION_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Options of a kafkajs client whose every wait is bounded, and which soon gives up: those who use it try again
 * themselves, with pauses of their own. What kafkajs logs is for debugging, since its users say what matters; of
 * the details only those pass that cannot hold a secret.
 */
export function kafkaClientOptions({ brokers }: KafkaConnection, logger: Logger) {
  return {
    clientId: 'waymark',
    brokers: [...brokers],
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
    logCreator:
      () =>
      ({ namespace, log }: KafkaLogEntry) => {
        const { message, broker, groupId } = log;
        logger.debug({ namespace, broker, groupId }, `kafkajs: ${message}`);
      },
  };
}
