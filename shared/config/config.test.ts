import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATAPLANE_VARIABLES, parseControlplaneConfig, parseDataplaneConfig } from './config.js';
import { ConfigError } from './environment.js';

const TOKEN = `wm_${'a'.repeat(40)}`;
const JWT = { JWT_JWKS_URL: 'https://login.example/jwks', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' };

describe('the configuration of the control plane', () => {
  it('needs nothing', () => {
    expect(parseControlplaneConfig({})).toMatchObject({
      dataDir: path.resolve('data'),
      logLevel: 'info',
      trustedProxies: [],
      clientIpHeader: 'x-forwarded-for',
      apiPort: 3000,
      databaseUrl: undefined,
      signup: 'open',
      jwt: undefined,
      corsOrigins: [],
      defaultPlan: 'free',
      rateLimitMultiplier: 1,
      dnsServers: undefined,
    });
  });

  it('ignores variables of other programs', () => {
    expect(() => parseControlplaneConfig({ PATH: '/bin', HOME: '/root', PORT: 'x' })).not.toThrow();
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(parseControlplaneConfig({}))).toBe(true);
  });

  it('takes a key set or a public key for JWTs, with issuer and audience', () => {
    expect(parseControlplaneConfig(JWT).jwt).toEqual({
      jwksUrl: 'https://login.example/jwks',
      publicKey: undefined,
      maxTokenDays: 90,
      issuer: 'i',
      audience: 'a',
    });
  });

  it.each([
    ['an embedded database', {}, true],
    ['a server', { DATABASE_URL: 'postgres://db.example/x' }, false],
    [
      'a server and consent',
      { DATABASE_URL: 'postgres://db.example/x', ALLOW_LOCALHOST_DOMAINS: 'on' },
      true,
    ],
    ['an embedded database without consent', { ALLOW_LOCALHOST_DOMAINS: 'off' }, false],
  ])('tells whether names under .localhost need a proof: with %s', (_what, environment, allowed) => {
    expect(parseControlplaneConfig(environment).allowLocalhostDomains).toBe(allowed);
  });

  it('takes a mail server with a sender', () => {
    const environment = {
      SMTP_URL: 'smtps://user:pass@mail.example:465',
      MAIL_FROM: 'Waymark <m@w.example>',
    };
    expect(parseControlplaneConfig(environment).mail).toEqual({
      smtpUrl: 'smtps://user:pass@mail.example:465',
      from: 'Waymark <m@w.example>',
    });
    expect(parseControlplaneConfig({}).mail).toBeUndefined();
  });

  it.each([
    ['API_PORT', { API_PORT: '70000' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://db.example/x' }],
    ['CLICKHOUSE_URL', { CLICKHOUSE_URL: 'clickhouse.example' }],
    ['BOOTSTRAP_TOKEN', { BOOTSTRAP_TOKEN: 'secret' }],
    ['BOOTSTRAP_TOKEN', { BOOTSTRAP_TOKEN: `${TOKEN}!` }],
    ['BOOTSTRAP_TOKEN', { BOOTSTRAP_TOKEN: `wm_${'a'.repeat(251)}` }],
    ['BOOTSTRAP_EMAIL', { BOOTSTRAP_EMAIL: 'notanemail' }],
    ['AUTH_SIGNUP', { AUTH_SIGNUP: 'no' }],
    ['SMTP_URL', { SMTP_URL: 'mail.example:25' }],
    ['MAIL_FROM is required', { SMTP_URL: 'smtp://mail.example' }],
    ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Waymark <nobody>' }],
    ['JWT_TOKEN_MAX_DAYS', { JWT_TOKEN_MAX_DAYS: '0' }],
    ['SECRET_KEY_PREVIOUS', { SECRET_KEY_PREVIOUS: 'short' }],
    ['JWT_ISSUER and JWT_AUDIENCE', { JWT_JWKS_URL: JWT.JWT_JWKS_URL }],
    ['JWT_ISSUER and JWT_AUDIENCE', { JWT_PUBLIC_KEY: 'pem', JWT_ISSUER: 'i' }],
    ['JWT_JWKS_URL and JWT_PUBLIC_KEY', { ...JWT, JWT_PUBLIC_KEY: 'pem' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'app.example' }],
    ['DEFAULT_PLAN', { DEFAULT_PLAN: 'gold' }],
    ['RATE_LIMIT_MULTIPLIER', { RATE_LIMIT_MULTIPLIER: '0' }],
    ['DNS_SERVERS', { DNS_SERVERS: 'dns.example' }],
    ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: 'yes' }],
    ['BILLING', { BILLING: 'free' }],
    ['STRIPE_SECRET_KEY', { BILLING: 'stripe' }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'nonsense' }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'pk_test_123' }],
    ['DASHBOARD_URL', { DASHBOARD_URL: 'app.example' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'proxy' }],
    ['CLIENT_IP_HEADER', { CLIENT_IP_HEADER: 'X-Real-IP: 1' }],
    ['CLIENT_IP_HEADER', { CLIENT_IP_HEADER: 'x-real-ip, x-forwarded-for' }],
    ['CLIENT_IP_HEADER', { CLIENT_IP_HEADER: 'Forwarded' }],
    ['CLIENT_IP_HEADER', { CLIENT_IP_HEADER: 'Host' }],
    ['SECRET_KEY', { SECRET_KEY: 'hunter2' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['REDIS_URL', { REDIS_URL: 'redis.example:6379' }],
    ['REDIS_URL', { REDIS_URL: 'redis:' }],
    ['REDIS_URL', { REDIS_URL: 'redis://' }],
    ['KAFKA_BROKERS', { KAFKA_BROKERS: 'kafka.example' }],
  ])('names %s when it is wrong', (name, environment) => {
    expect(() => parseControlplaneConfig(environment)).toThrow(ConfigError);
    expect(() => parseControlplaneConfig(environment)).toThrow(name);
  });
});

describe('WEBHOOK_ALLOW_PRIVATE', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['off', false],
    ['false', false],
    ['0', false],
    ['on', true],
    ['true', true],
    ['1', true],
  ])('given as %j lets messages into private networks: %j', (given, allowed) => {
    expect(parseControlplaneConfig({ WEBHOOK_ALLOW_PRIVATE: given }).webhookAllowPrivate).toBe(allowed);
  });
});

describe('CLIENT_IP_HEADER', () => {
  it.each(['CF-Connecting-IP', 'true-client-ip', ' X-Real-IP '])('takes %j in any case', (given) => {
    const header = given.trim().toLowerCase();
    expect(parseControlplaneConfig({ CLIENT_IP_HEADER: given }).clientIpHeader).toBe(header);
    expect(parseDataplaneConfig({ CLIENT_IP_HEADER: given }).clientIpHeader).toBe(header);
  });
});

describe('the configuration of a data plane', () => {
  it('needs nothing', () => {
    expect(parseDataplaneConfig({})).toMatchObject({
      dataDir: path.resolve('data'),
      redirectPort: 8080,
      adminHost: '127.0.0.1',
      adminPort: 9090,
      redirectWorkers: 1,
      redisUrl: undefined,
      kafka: undefined,
      hitFlushIntervalMs: 250,
      keepAliveSeconds: 75,
      drainDelayMs: 0,
      handoverMs: 0,
    });
  });

  it.each([
    ['REDIRECT_PORT', { REDIRECT_PORT: 'http' }],
    ['ADMIN_PORT', { ADMIN_PORT: '-1' }],
    ['REDIRECT_WORKERS', { REDIRECT_WORKERS: '0' }],
    ['REDIRECT_WORKERS', { REDIRECT_WORKERS: '65' }],
    ['CONTROL_PLANE_URL', { CONTROL_PLANE_URL: 'control.example' }],
    ['CONTROL_PLANE_URL', { CONTROL_PLANE_URL: 'http://user:password@control.example' }],
    ['HIT_FLUSH_INTERVAL_MS', { HIT_FLUSH_INTERVAL_MS: '1' }],
    ['DRAIN_DELAY_MS', { DRAIN_DELAY_MS: '300001' }],
    ['HANDOVER_SECONDS', { HANDOVER_SECONDS: '3601' }],
    ['HANDOVER_SECONDS', { HANDOVER_SECONDS: '-1' }],
    ['KEEP_ALIVE_SECONDS', { KEEP_ALIVE_SECONDS: '4' }],
    ['KEEP_ALIVE_SECONDS', { KEEP_ALIVE_SECONDS: '3601' }],
    ['KEEP_ALIVE_SECONDS', { KEEP_ALIVE_SECONDS: '7.5' }],
    ['MAX_KEPT_CONNECTIONS', { MAX_KEPT_CONNECTIONS: '99' }],
    ['MAX_KEPT_CONNECTIONS', { MAX_KEPT_CONNECTIONS: '1000001' }],
  ])('names %s when it is wrong', (name, environment) => {
    expect(() => parseDataplaneConfig(environment)).toThrow(name);
  });
});

describe('the variables of a data plane', () => {
  it('are those it reads: each stops the start when it is far too long', () => {
    for (const name of DATAPLANE_VARIABLES) {
      expect(() => parseDataplaneConfig({ [name]: 'x'.repeat(100_000) }), name).toThrow(name);
    }
  });

  it('hold no secret of the control plane', () => {
    for (const name of ['DATABASE_URL', 'BOOTSTRAP_TOKEN', 'STRIPE_SECRET_KEY', 'CLICKHOUSE_URL']) {
      expect(DATAPLANE_VARIABLES).not.toContain(name);
    }
  });

  it('give the handover in milliseconds to those who wait', () => {
    expect(parseDataplaneConfig({ HANDOVER_SECONDS: '30' }).handoverMs).toBe(30_000);
  });
});

describe.each([
  ['the control plane', parseControlplaneConfig],
  ['a data plane', parseDataplaneConfig],
])('GEOIP_DB of %s', (_process, parse) => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    [' ', undefined],
    ['/var/lib/places.mmdb', '/var/lib/places.mmdb'],
    [' places.mmdb ', 'places.mmdb'],
  ])('given as %j is %j', (given, geoipDb) => {
    expect(parse({ GEOIP_DB: given }).geoipDb).toBe(geoipDb);
  });

  it('is named when it is too long for a path', () => {
    expect(() => parse({ GEOIP_DB: 'x'.repeat(5_000) })).toThrow(/^GEOIP_DB .*4096 characters/);
  });
});
