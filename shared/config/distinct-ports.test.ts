import { describe, expect, it } from 'vitest';
import { parseDataplaneConfig } from './config.js';
import { ConfigError } from './environment.js';
import { parseDataplaneRoleConfig } from './role-config.js';
import { parseStandaloneConfig } from './standalone-config.js';

const SERVERS = { REDIS_URL: 'redis://redis.example', KAFKA_BROKERS: 'kafka.example:9092' };
const parsers = {
  standalone: parseStandaloneConfig,
  worker: parseDataplaneConfig,
  dataplane: (environment: object) => parseDataplaneRoleConfig({ ...SERVERS, ...environment }),
};

describe('ports of one process', () => {
  it.each<[keyof typeof parsers, object, string, string]>([
    ['standalone', { API_PORT: '8080' }, 'API_PORT', 'REDIRECT_PORT'],
    ['standalone', { REDIRECT_PORT: '3000' }, 'API_PORT', 'REDIRECT_PORT'],
    ['standalone', { API_PORT: '9090' }, 'API_PORT', 'ADMIN_PORT'],
    ['standalone', { ADMIN_PORT: '8080' }, 'REDIRECT_PORT', 'ADMIN_PORT'],
    ['worker', { ADMIN_PORT: '8080' }, 'REDIRECT_PORT', 'ADMIN_PORT'],
    ['dataplane', { REDIRECT_PORT: '9090' }, 'REDIRECT_PORT', 'ADMIN_PORT'],
    ['dataplane', { REDIRECT_PORT: '9090', REDIRECT_HOST: '127.0.0.1' }, 'REDIRECT_PORT', 'ADMIN_PORT'],
    ['dataplane', { REDIRECT_PORT: '9090', REDIRECT_HOST: '::' }, 'REDIRECT_PORT', 'ADMIN_PORT'],
    ['dataplane', { ADMIN_PORT: '8080', ADMIN_HOST: '::' }, 'REDIRECT_PORT', 'ADMIN_PORT'],
    [
      'dataplane',
      { ADMIN_PORT: '8080', ADMIN_HOST: 'localhost', REDIRECT_HOST: 'LOCALHOST' },
      'REDIRECT_PORT',
      'ADMIN_PORT',
    ],
  ])('that collide stop a %s: %j', (process, environment, one, other) => {
    const parse = () => parsers[process]({ ...environment });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(
      new RegExp(`^${one} and ${other} take different ports, but both are \\d+ .*[^\\n]$`),
    );
  });

  it.each<[keyof typeof parsers, object]>([
    ['standalone', {}],
    ['standalone', { API_PORT: '0', REDIRECT_PORT: '0', ADMIN_PORT: '0' }],
    ['standalone', { API_PORT: '9090', API_HOST: '192.0.2.1' }],
    ['standalone', { API_PORT: '9091' }],
    ['dataplane', { API_PORT: '8080', INGEST_PORT: '9090' }],
    ['dataplane', { REDIRECT_PORT: '9090', REDIRECT_HOST: '192.0.2.1' }],
    ['dataplane', { REDIRECT_PORT: '9090', REDIRECT_HOST: '0.0.0.0', ADMIN_HOST: '::1' }],
  ])('that do not collide let a %s start: %j', (process, environment) => {
    expect(() => parsers[process]({ ...environment })).not.toThrow();
  });

  it('are all named', () => {
    const ports = { API_PORT: '4000', REDIRECT_PORT: '4000', ADMIN_PORT: '4000' };
    expect(() =>
      parseStandaloneConfig({ ...ports, ADMIN_HOST: '127.0.0.2', REDIRECT_HOST: '127.0.0.3' }),
    ).toThrow(/^API_PORT and REDIRECT_PORT .*\nAPI_PORT and ADMIN_PORT .*$/);
  });
});
