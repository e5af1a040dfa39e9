import type { KafkaConnection } from '../hits/kafka-client-options.js';
import {
  absent,
  ConfigError,
  oneOf,
  onOff,
  secretText,
  serverList,
  text,
  type ValuesOf,
} from './environment.js';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Variables of the connection to Kafka. */
export const kafkaVariables = {
  KAFKA_BROKERS: serverList('kafka-1:9092,kafka-2:9092')(absent),
  KAFKA_SSL: onOff({ default: false }),
  KAFKA_SASL_MECHANISM: oneOf(MECHANISMS)(absent),
  KAFKA_USERNAME: text(1024)(absent),
  KAFKA_PASSWORD: secretText(1024)(absent),
};

type KafkaValues = ValuesOf<typeof kafkaVariables>;

/**
 * Returns the connection settings of Kafka, or undefined without KAFKA_BROKERS.
 *
 * @throws {ConfigError} if only some of mechanism, user name and password are set
 */
export function kafkaPart(values: KafkaValues): KafkaConnection | undefined {
  const sasl = saslPart(values);
  if (values.KAFKA_BROKERS === undefined) return undefined;
  return { brokers: values.KAFKA_BROKERS, ssl: values.KAFKA_SSL, ...(sasl && { sasl }) };
}

function saslPart(values: KafkaValues): KafkaConnection['sasl'] {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = values;
  if (mechanism !== undefined && username !== undefined && password !== undefined) {
    return { mechanism, username, password };
  }
  const needed = {
    KAFKA_SASL_MECHANISM: [mechanism, `one of ${MECHANISMS.join(', ')}`],
    KAFKA_USERNAME: [username, 'the name of a Kafka user'],
    KAFKA_PASSWORD: [password, 'the password of KAFKA_USERNAME'],
  } as const;
  const set = Object.entries(needed).filter(([, [value]]) => value !== undefined);
  if (set.length === 0) return undefined;
  const setNames = set.map(([name]) => name).join(' and ');
  const missing = Object.entries(needed).filter(([, [value]]) => value === undefined);
  throw new ConfigError(
    missing.map(([name, [, takes]]) => `${name} is required with ${setNames}: it takes ${takes}`).join('\n'),
  );
}
