import { pino } from 'pino';
import { expect, it } from 'vitest';
import { AnalyticsStoreError } from '../../controlplane/storage/clickhouse/store-error.js';
import {
  DatabaseReadOnlyError,
  DatabaseUnavailableError,
} from '../../controlplane/storage/postgres/database-unavailable.js';
import { createOutageLog } from './outage-log.js';

const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
/** Makes an error with the names that kafkajs uses. The tests against a real Kafka verify these names. */
const kafkaError = (name: string, message: string, facts: object = {}) =>
  Object.assign(new Error(message), { name, ...facts });
const kafkaAway = () =>
  kafkaError('KafkaJSConnectionError', 'Connection error: connect ECONNREFUSED 127.0.0.1:1', {
    code: 'ECONNREFUSED',
  });

function startLog() {
  const lines: Record<string, unknown>[] = [];
  let atMs = 0;
  const logger = pino(
    { hooks: { logMethod: createOutageLog(() => atMs) } },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  return {
    logger,
    lines,
    pass(ms: number) {
      atMs += ms;
    },
  };
}

it.each<[string, unknown, RegExp]>([
  ['Kafka', kafkaAway(), /^KAFKA_BROKERS .*ECONNREFUSED 127\.0\.0\.1:1 \(start the server/],
  [
    'Kafka, after attempts',
    kafkaError('KafkaJSNumberOfRetriesExceeded', 'no more attempts', { cause: kafkaAway() }),
    /^KAFKA_BROKERS names brokers that cannot be reached/,
  ],
  [
    'a login at Kafka',
    kafkaError(
      'KafkaJSSASLAuthenticationError',
      'SASL PLAIN authentication failed: Invalid username or password',
    ),
    /^KAFKA_USERNAME and KAFKA_PASSWORD are refused by Kafka \(.*\): correct them/,
  ],
  ['PostgreSQL', new DatabaseUnavailableError(refused()), /^DATABASE_URL .*: connect ECONNREFUSED/],
  [
    'writes',
    new DatabaseReadOnlyError(refused()),
    /^DATABASE_URL .* can only be read \(.*\): name the primary/,
  ],
  [
    'Redis',
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    /^Redis cannot be reached$/,
  ],
  [
    'a login at Redis',
    Object.assign(new Error('WRONGPASS invalid username-password pair'), { name: 'ReplyError' }),
    /^REDIS_URL has a user name or password that Redis refuses \(.*\): correct it$/,
  ],
  ['ClickHouse', new AnalyticsStoreError('unavailable', refused()), /CLICKHOUSE_URL.*: connect ECONNREFUSED/],
])('an outage of %s is one line without a stack, once a minute', (_what, err, problem) => {
  const { logger, lines, pass } = startLog();
  for (let seconds = 0; seconds < 60; seconds += 1) {
    logger.warn({ err, pauseMs: 1 }, 'trying again');
    pass(1_000);
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    msg: 'trying again',
    problem: expect.stringMatching(problem),
    pauseMs: 1,
  });
  expect(lines[0]).not.toHaveProperty('err');
  logger.warn({ err }, 'trying again');
  expect(lines[1]).toMatchObject({ repeated: 59 });
});

it('errors of ours keep their stack, each time', () => {
  const { logger, lines } = startLog();
  const err = new TypeError('x is not a function');
  for (let times = 0; times < 3; times += 1) logger.error({ err }, 'request failed');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatchObject({
    err: { type: 'TypeError', stack: expect.stringContaining('outage-log') },
  });
});

it('another problem, or the same one elsewhere, is told at once', () => {
  const { logger, lines } = startLog();
  logger.warn({ problem: 'one' }, 'a');
  logger.warn({ problem: 'two' }, 'a');
  logger.warn({ problem: 'one' }, 'b');
  logger.child({ worker: 1 }).warn({ problem: 'one' }, 'b');
  logger.info('no problem');
  expect(lines.map(({ msg }) => msg)).toEqual(['a', 'a', 'b', 'no problem']);
});
