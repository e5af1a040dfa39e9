import path from 'node:path';
import {
  addressList,
  ConfigError,
  cidrList,
  oneOf,
  originList,
  parseEnvironment,
  positiveNumber,
  text,
  urlOf,
  wholeNumber,
} from './environment.js';

const port = wholeNumber(0, 65_535);
const absent = { default: undefined } as const;

/** Variables that every process takes. */
const common = {
  DATA_DIR: text()({ default: './data' }),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])({ default: 'info' }),
  TRUSTED_PROXIES: cidrList({ default: [] }),
  SECRET_KEY: text(1024, 16)(absent),
  GEOIP_DB: text()(absent),
};

const dataplane = {
  REDIRECT_HOST: text(255)({ default: '0.0.0.0' }),
  REDIRECT_PORT: port({ default: 8080 }),
  ADMIN_HOST: text(255)({ default: '127.0.0.1' }),
  ADMIN_PORT: port({ default: 9090 }),
  HIT_FLUSH_INTERVAL_MS: wholeNumber(10, 60_000)({ default: 250 }),
};

const controlplane = {
  API_HOST: text(255)({ default: '0.0.0.0' }),
  API_PORT: port({ default: 3000 }),
  PUBLIC_API_URL: urlOf('http', 'https')(absent),
  DATABASE_URL: urlOf('postgres', 'postgresql')(absent),
  CLICKHOUSE_URL: urlOf('http', 'https')(absent),
  BOOTSTRAP_EMAIL: text(254)(absent),
  BOOTSTRAP_TOKEN: text(512)(absent),
  AUTH_SIGNUP: oneOf(['open', 'closed'])({ default: 'open' }),
  JWT_JWKS_URL: urlOf('http', 'https')(absent),
  JWT_PUBLIC_KEY: text(16_384)(absent),
  JWT_ISSUER: text(1024)(absent),
  JWT_AUDIENCE: text(1024)(absent),
  CORS_ORIGINS: originList({ default: [] }),
  DEFAULT_PLAN: oneOf(['free', 'pro', 'business'])({ default: 'free' }),
  RATE_LIMIT_MULTIPLIER: positiveNumber(1_000_000)({ default: 1 }),
  DNS_SERVERS: addressList(absent),
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Configuration of the control plane; see the table in the README. */
export function parseControlplaneConfig(environment: Environment) {
  const values = parseEnvironment(environment, { ...common, ...controlplane });
  if (values.BOOTSTRAP_TOKEN !== undefined && !/^wm_[A-Za-z0-9_-]{40,}$/.test(values.BOOTSTRAP_TOKEN)) {
    throw new ConfigError('BOOTSTRAP_TOKEN takes `wm_` followed by 40 or more letters, digits, - or _');
  }
  if (values.JWT_JWKS_URL !== undefined && values.JWT_PUBLIC_KEY !== undefined) {
    throw new ConfigError('JWT_JWKS_URL and JWT_PUBLIC_KEY exclude each other: set one of them');
  }
  const takesJwt = values.JWT_JWKS_URL !== undefined || values.JWT_PUBLIC_KEY !== undefined;
  if (takesJwt && (values.JWT_ISSUER === undefined || values.JWT_AUDIENCE === undefined)) {
    throw new ConfigError('JWT_ISSUER and JWT_AUDIENCE are required when JWTs are accepted');
  }
  return Object.freeze({
    dataDir: path.resolve(values.DATA_DIR),
    logLevel: values.LOG_LEVEL,
    trustedProxies: values.TRUSTED_PROXIES,
    secretKey: values.SECRET_KEY,
    geoipDb: values.GEOIP_DB,
    apiHost: values.API_HOST,
    apiPort: values.API_PORT,
    publicApiUrl: values.PUBLIC_API_URL,
    databaseUrl: values.DATABASE_URL,
    clickhouseUrl: values.CLICKHOUSE_URL,
    bootstrapEmail: values.BOOTSTRAP_EMAIL,
    bootstrapToken: values.BOOTSTRAP_TOKEN,
    signup: values.AUTH_SIGNUP,
    jwt: takesJwt
      ? {
          jwksUrl: values.JWT_JWKS_URL,
          publicKey: values.JWT_PUBLIC_KEY,
          issuer: values.JWT_ISSUER ?? '',
          audience: values.JWT_AUDIENCE ?? '',
        }
      : undefined,
    corsOrigins: values.CORS_ORIGINS,
    defaultPlan: values.DEFAULT_PLAN,
    rateLimitMultiplier: values.RATE_LIMIT_MULTIPLIER,
    dnsServers: values.DNS_SERVERS,
  });
}

/** Configuration of a data plane; see the table in the README. */
export function parseDataplaneConfig(environment: Environment) {
  const values = parseEnvironment(environment, { ...common, ...dataplane });
  return Object.freeze({
    dataDir: path.resolve(values.DATA_DIR),
    logLevel: values.LOG_LEVEL,
    trustedProxies: values.TRUSTED_PROXIES,
    secretKey: values.SECRET_KEY,
    geoipDb: values.GEOIP_DB,
    redirectHost: values.REDIRECT_HOST,
    redirectPort: values.REDIRECT_PORT,
    adminHost: values.ADMIN_HOST,
    adminPort: values.ADMIN_PORT,
    hitFlushIntervalMs: values.HIT_FLUSH_INTERVAL_MS,
  });
}

export type ControlplaneConfig = ReturnType<typeof parseControlplaneConfig>;
