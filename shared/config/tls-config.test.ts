import { describe, expect, it } from 'vitest';
import { parseDataplaneConfig } from './config.js';
import { parseDataplaneRoleConfig } from './role-config.js';
import { parseStandaloneConfig } from './standalone-config.js';

const SERVERS = { REDIS_URL: 'redis://redis:6379', KAFKA_BROKERS: 'kafka:9092' };

describe('variables about HTTPS', () => {
  it('are off by default', () => {
    expect(parseDataplaneConfig({})).toMatchObject({ tls: undefined, publicHttpsPort: 443 });
  });

  it('give the settings of a data plane', () => {
    const environment = {
      TLS_PORT: '8443',
      TLS_CERTIFICATES_DIR: '/etc/letsencrypt',
      TLS_RELOAD_SECONDS: '600',
      TLS_MAX_NAMES: '50',
      HTTPS_PUBLIC_PORT: '4433',
    };
    expect(parseDataplaneConfig(environment)).toMatchObject({
      tls: { port: 8443, certificatesDir: '/etc/letsencrypt', reloadIntervalMs: 600_000, maxNames: 50 },
      publicHttpsPort: 4433,
    });
  });

  it.each([
    [{ TLS_PORT: 'https' }, /^TLS_PORT takes a whole number from 0 to 65535/],
    [{ TLS_CERTIFICATES_DIR: '/etc/letsencrypt' }, /^TLS_CERTIFICATES_DIR needs TLS_PORT/],
    [
      { TLS_PORT: '443', TLS_RELOAD_SECONDS: '1' },
      /^TLS_RELOAD_SECONDS takes a whole number from 60 to 86400/,
    ],
    [{ TLS_PORT: '8080' }, /^REDIRECT_PORT and TLS_PORT take different ports, but both are 8080/],
    [{ TLS_PORT: '3000' }, /^API_PORT and TLS_PORT take different ports, but both are 3000/],
  ])('are refused by name: %j', (environment, message) => {
    expect(() => parseStandaloneConfig(environment)).toThrow(message);
  });

  it('need a source of certificates in the role of a data plane', () => {
    const parse = (environment: object) => () =>
      parseDataplaneRoleConfig({ ...SERVERS, TLS_PORT: '443', ...environment });
    expect(parse({})).toThrow(/^TLS_PORT needs certificates: set CONTROL_PLANE_URL/);
    expect(parse({ CONTROL_PLANE_URL: 'http://api:3000' })).not.toThrow();
    expect(parse({ TLS_CERTIFICATES_DIR: '/etc/letsencrypt' })).not.toThrow();
  });
});
