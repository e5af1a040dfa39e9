import { describe, expect, it } from 'vitest';
import { ConfigError } from './environment.js';
import {
  parseControlplaneRoleConfig,
  parseDataplaneRoleConfig,
  parseIngestRoleConfig,
} from './role-config.js';

const COMPLETE = {
  DATABASE_URL: 'postgres://waymark:s3cret-postgres@db.example/waymark',
  REDIS_URL: 'rediss://:s3cret-redis@redis.example:6380',
  KAFKA_BROKERS: 'kafka-1.example:9092, [2001:db8::1]:9092',
  CLICKHOUSE_URL: 'https://waymark:s3cret-clickhouse@store.example:8443/waymark',
};

const ROLES = [
  {
    role: 'a control plane',
    parse: parseControlplaneRoleConfig,
    needs: ['DATABASE_URL', 'REDIS_URL', 'CLICKHOUSE_URL'],
  },
  {
    role: 'a data plane',
    parse: parseDataplaneRoleConfig,
    needs: ['REDIS_URL', 'KAFKA_BROKERS'],
  },
  { role: 'ingest', parse: parseIngestRoleConfig, needs: ['KAFKA_BROKERS', 'CLICKHOUSE_URL'] },
] as const;

function refusal(parse: (environment: Record<string, string>) => unknown, environment: object): Error {
  try {
    parse({ ...environment });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return expect.unreachable('nothing was refused');
}

describe.each(ROLES)('the configuration of $role', ({ role, parse, needs }) => {
  it('takes real servers', () => {
    expect(() => parse(COMPLETE)).not.toThrow();
  });

  it.each(needs)(
    'refuses a configuration without %s, in one line with the name and the accepted values',
    (name) => {
      const { message } = refusal(parse, { ...COMPLETE, [name]: undefined });
      expect(message).toMatch(new RegExp(`^${name} is required by ${role}: it takes .+$`));
    },
  );

  it('with nothing names everything that is missing, a line each', () => {
    const names = refusal(parse, {})
      .message.split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names).toEqual(needs);
  });

  it.each(needs)('refuses a wrong %s without repeating the given value', (name) => {
    const { message } = refusal(parse, { ...COMPLETE, [name]: 's3cret pasted' });
    expect(message).toMatch(new RegExp(`^${name} takes `));
    expect(message).not.toContain('s3cret');
  });
});

it('brokers are told apart', () => {
  expect(parseIngestRoleConfig(COMPLETE).kafka.brokers).toEqual([
    'kafka-1.example:9092',
    '[2001:db8::1]:9092',
  ]);
});
