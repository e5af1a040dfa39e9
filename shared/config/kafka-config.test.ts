import { expect, it } from 'vitest';
import { parseDataplaneConfig } from './config.js';
import { ConfigError } from './environment.js';

const BROKERS = { KAFKA_BROKERS: 'kafka.example:9093' };
const LOGIN = {
  KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  KAFKA_USERNAME: 'waymark',
  KAFKA_PASSWORD: ' s3cret with spaces ',
};

it('takes TLS and a login, the password as it is', () => {
  expect(parseDataplaneConfig({ ...BROKERS, ...LOGIN, KAFKA_SSL: 'on' }).kafka).toEqual({
    brokers: ['kafka.example:9093'],
    ssl: true,
    sasl: { mechanism: 'scram-sha-512', username: 'waymark', password: ' s3cret with spaces ' },
  });
});

it('needs neither', () => {
  expect(parseDataplaneConfig(BROKERS).kafka).toEqual({ brokers: ['kafka.example:9093'], ssl: false });
  expect(parseDataplaneConfig({ KAFKA_SSL: 'on' }).kafka).toBeUndefined();
});

const refusals = [
  [{ KAFKA_SSL: 'tls' }, 'KAFKA_SSL takes one of off, on, false, true, 0, 1, not a value of 3 characters'],
  [{ ...LOGIN, KAFKA_SASL_MECHANISM: 'gssapi' }, 'KAFKA_SASL_MECHANISM takes one of plain, scram-sha-256, s'],
  [
    { ...LOGIN, KAFKA_SASL_MECHANISM: '' },
    'KAFKA_SASL_MECHANISM is required with KAFKA_USERNAME and KAFKA_P',
  ],
  [
    { ...LOGIN, KAFKA_USERNAME: undefined },
    'KAFKA_USERNAME is required with KAFKA_SASL_MECHANISM and KAFKA_',
  ],
  [{ ...LOGIN, KAFKA_PASSWORD: '' }, 'KAFKA_PASSWORD is required with KAFKA_SASL_MECHANISM and KAFKA_USERN'],
] as const;

it.each(refusals)('refuses %j in one line that does not repeat the password', (environment, message) => {
  const parse = () => parseDataplaneConfig({ ...BROKERS, ...environment });
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(message);
  expect(parse).not.toThrow(/\n|s3cret/);
});
