import type { Logger } from 'pino';

type Mechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

/** A SASL login. It has one type per mechanism, as in kafkajs. */
export type KafkaLogin = {
  readonly [M in Mechanism]: { readonly mechanism: M; readonly username: string; readonly password: string };
}[Mechanism];

/** Connection settings of Kafka. */
export interface KafkaConnection {
  /** `host:port` of some brokers. The client discovers the rest of the cluster through them. */
  readonly brokers: readonly string[];
  /** Whether brokers speak TLS. Their certificates are checked against Node's trusted authorities. Default: no. */
  readonly ssl?: boolean;
  /** Default: no login. */
  readonly sasl?: KafkaLogin;
}

/** The part of a kafkajs log entry that we log. */
interface KafkaLogEntry {
  readonly namespace: string;
  readonly log: { readonly message: string; readonly [detail: string]: unknown };
}

const CONNECTION_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Options of a kafkajs client. Every wait is bounded and the client gives up soon, because callers retry with their own
 * delays. Log lines of kafkajs get the level debug. Only details that cannot contain a secret are logged.
 */
export function kafkaClientOptions({ brokers, ssl = false, sasl }: KafkaConnection, logger: Logger) {
  return {
    clientId: 'waymark',
    brokers: [...brokers],
    ssl,
    ...(sasl && { sasl: { ...sasl } }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: REQUEST_TIMEOUT_MS,
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
