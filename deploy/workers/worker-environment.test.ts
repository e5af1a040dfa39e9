import { expect, test } from 'vitest';
import { workerEnvironment } from './worker-environment.js';

test('a worker inherits what a data plane reads and what the system needs', () => {
  const environment = {
    DATA_DIR: '/data',
    REDIS_URL: 'redis://cache',
    KAFKA_BROKERS: 'kafka:9092',
    SECRET_KEY: 'sixteen characters',
    TRUSTED_PROXIES: '10.0.0.0/8',
    LOG_LEVEL: 'warn',
    HIT_FLUSH_INTERVAL_MS: '100',
    PATH: '/bin',
    TZ: 'Europe/Vienna',
    NODE_OPTIONS: '--max-old-space-size=512',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    UWS_HTTP_MAX_HEADERS_SIZE: '32768',
  };
  expect(workerEnvironment(environment)).toEqual(environment);
});

test.each([
  'BOOTSTRAP_TOKEN',
  'BOOTSTRAP_EMAIL',
  'DATABASE_URL',
  'CLICKHOUSE_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'JWT_PUBLIC_KEY',
  'SMTP_URL',
  'AWS_SECRET_ACCESS_KEY',
  'NODE_AUTH_TOKEN',
])('a worker does not inherit %s', (name) => {
  expect(workerEnvironment({ [name]: 'a secret', PATH: '/bin' })).toEqual({ PATH: '/bin' });
});

test('a variable that is not set stays unset', () => {
  expect(Object.keys(workerEnvironment({ TZ: undefined }))).toEqual([]);
});
