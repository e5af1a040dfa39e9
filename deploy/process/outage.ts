import { connectionProblem } from '../../shared/process/connection-problem.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { describeRedisError, isRedisError } from '../../shared/ruleset/redis-options.js';

interface OutageKind {
  readonly matches: (error: Error) => boolean;
  /** Variable and problem. */
  readonly problem: string;
  /** Default: the advice of the reason itself. */
  readonly fix?: string;
}

const failureOf = (error: Error) => ('failure' in error ? error.failure : undefined);

/**
 * Kinds of outages by the names of error classes. Comparing names avoids loading clients of servers that the process
 * does not use.
 */
const KINDS: readonly OutageKind[] = [
  {
    matches: ({ name }) => name === 'KafkaJSSASLAuthenticationError',
    problem: 'KAFKA_USERNAME and KAFKA_PASSWORD are refused by Kafka',
    fix: 'correct them, or KAFKA_SASL_MECHANISM',
  },
  {
    matches: ({ name, message }) =>
      /^KafkaJS(?:Connection|Broker)/.test(name) || message.startsWith('Kafka has not'),
    problem: 'KAFKA_BROKERS names brokers that cannot be reached',
  },
  {
    matches: ({ name }) => name === 'DatabaseFullError',
    problem: 'the disk of the database is full',
    fix: 'free some space',
  },
  {
    matches: ({ name }) => name === 'DatabaseReadOnlyError',
    problem: 'DATABASE_URL names a server that can only be read',
    fix: 'name the primary, or turn default_transaction_read_only off',
  },
  {
    matches: ({ name }) => name === 'DatabaseUnavailableError',
    problem: 'DATABASE_URL names a server that cannot be reached',
  },
  {
    matches: (error) => error.name === 'AnalyticsStoreError' && failureOf(error) === 'unavailable',
    problem: 'the ClickHouse of CLICKHOUSE_URL, or the embedded one, cannot answer',
  },
];

/**
 * Returns the message for an error that means an unreachable server: variable, problem, fix, on one line. Undefined
 * for all other errors.
 */
export function outageOf(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const failure = one;
    if (isRedisError(failure)) return describeRedisError(failure);
    const kind = KINDS.find(({ matches }) => matches(failure));
    if (kind === undefined) continue;
    if (kind.fix === undefined) return `${kind.problem}: ${connectionProblem(failure)}`;
    return `${kind.problem} (${messageOf(failure)}): ${kind.fix}`;
  }
  return undefined;
}
