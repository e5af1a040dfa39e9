import path from 'node:path';
import { acmePart, acmeVariables } from './acme-config.js';
import { anyAddress } from './any-address.js';
import { billingPart, billingVariables } from './billing-config.js';
import { checkDistinctPorts } from './distinct-ports.js';
import {
  absent,
  addressHeader,
  ConfigError,
  cidrList,
  type Environment,
  emailAddress,
  mailbox,
  oneOf,
  onOff,
  originList,
  parseEnvironment,
  positiveNumber,
  serverList,
  text,
  urlOf,
  type ValuesOf,
  wholeNumber,
} from './environment.js';
import { kafkaPart, kafkaVariables } from './kafka-config.js';
import { tlsPart, tlsPorts, tlsVariables } from './tls-config.js';

const BUILT_IN_PLANS = ['free', 'pro', 'business'];

const port = wholeNumber(0, 65_535);
const secretKeyPrevious = text(1024, 16)(absent);

/** Variables that every process reads. */
const common = {
  DATA_DIR: text()({ default: './data' }),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])({ default: 'info' }),
  TRUSTED_PROXIES: cidrList({ default: [] }),
  CLIENT_IP_HEADER: addressHeader({ default: 'x-forwarded-for' }),
  SECRET_KEY: text(1024, 16)(absent),
  GEOIP_DB: text()(absent),
  REDIS_URL: urlOf('redis', 'rediss')(absent),
  ...kafkaVariables,
  DRAIN_DELAY_MS: wholeNumber(0, 300_000)({ default: 0 }),
};

const analytics = {
  CLICKHOUSE_URL: urlOf('http', 'https')(absent),
};

const dataplane = {
  REDIRECT_HOST: text(255)({ default: anyAddress() }),
  REDIRECT_PORT: port({ default: 8080 }),
  REDIRECT_WORKERS: wholeNumber(1, 64)({ default: 1 }),
  ADMIN_HOST: text(255)({ default: '127.0.0.1' }),
  ADMIN_PORT: port({ default: 9090 }),
  HIT_FLUSH_INTERVAL_MS: wholeNumber(10, 60_000)({ default: 250 }),
  KEEP_ALIVE_SECONDS: wholeNumber(5, 3_600)({ default: 75 }),
  MAX_KEPT_CONNECTIONS: wholeNumber(100, 1_000_000)({ default: 2_500 }),
  CONTROL_PLANE_URL: urlOf('http', 'https')(absent),
  HANDOVER_SECONDS: wholeNumber(0, 3_600)({ default: 0 }),
  SECRET_KEY_PREVIOUS: secretKeyPrevious,
  ...tlsVariables,
};

/** The names of the variables that a data plane reads. */
export const DATAPLANE_VARIABLES: readonly string[] = Object.keys({ ...common, ...dataplane });

const ingest = {
  INGEST_HOST: text(255)({ default: '127.0.0.1' }),
  INGEST_PORT: port({ default: 9091 }),
};

const controlplane = {
  API_HOST: text(255)({ default: anyAddress() }),
  API_PORT: port({ default: 3000 }),
  PUBLIC_API_URL: urlOf('http', 'https')(absent),
  SECRET_KEY_PREVIOUS: secretKeyPrevious,
  DATABASE_URL: urlOf('postgres', 'postgresql')(absent),
  EMBEDDED_FSYNC: onOff({ default: false }),
  BOOTSTRAP_EMAIL: emailAddress(absent),
  BOOTSTRAP_TOKEN: text(512)(absent),
  AUTH_SIGNUP: oneOf(['open', 'verified', 'closed'])({ default: 'open' }),
  JWT_JWKS_URL: urlOf('http', 'https')(absent),
  JWT_PUBLIC_KEY: text(16_384)(absent),
  JWT_ISSUER: text(1024)(absent),
  JWT_AUDIENCE: text(1024)(absent),
  JWT_TOKEN_MAX_DAYS: wholeNumber(1, 3_650)({ default: 90 }),
  SMTP_URL: urlOf('smtp', 'smtps')(absent),
  MAIL_FROM: mailbox(absent),
  CORS_ORIGINS: originList({ default: [] }),
  DEFAULT_PLAN: text(63)({ default: 'free' }),
  PLANS_FILE: text()(absent),
  DASHBOARD_URL: urlOf('http', 'https')(absent),
  ...billingVariables,
  RATE_LIMIT_MULTIPLIER: positiveNumber(1_000_000)({ default: 1 }),
  DNS_SERVERS: serverList('127.0.0.1:53,dns.example.com:53')(absent),
  WEBHOOK_ALLOW_PRIVATE: onOff({ default: false }),
  DESTINATION_CHECKS: oneOf(['on', 'off', 'private'])({ default: 'on' }),
  ALLOW_LOCALHOST_DOMAINS: onOff(absent),
  TLS_CERTIFICATES_DIR: tlsVariables.TLS_CERTIFICATES_DIR,
  HTTPS_PUBLIC_PORT: tlsVariables.HTTPS_PUBLIC_PORT,
  CONSOLE: onOff({ default: true }),
  ...acmeVariables,
};

/** Names of all variables of all processes. */
export const KNOWN_VARIABLES: readonly string[] = Object.keys({
  ...common,
  ...analytics,
  ...dataplane,
  ...ingest,
  ...controlplane,
});

/** Configuration of the control plane; see the table in the README. */
export function parseControlplaneConfig(environment: Environment) {
  const values = parseEnvironment(environment, { ...common, ...analytics, ...controlplane });
  if (values.BOOTSTRAP_TOKEN !== undefined && !/^wm_[A-Za-z0-9_-]{40,250}$/.test(values.BOOTSTRAP_TOKEN)) {
    throw new ConfigError('BOOTSTRAP_TOKEN takes `wm_` followed by 40 to 250 letters, digits, - or _');
  }
  if (values.JWT_JWKS_URL !== undefined && values.JWT_PUBLIC_KEY !== undefined) {
    throw new ConfigError('JWT_JWKS_URL and JWT_PUBLIC_KEY exclude each other: set one of them');
  }
  const takesJwt = values.JWT_JWKS_URL !== undefined || values.JWT_PUBLIC_KEY !== undefined;
  if (takesJwt && (values.JWT_ISSUER === undefined || values.JWT_AUDIENCE === undefined)) {
    throw new ConfigError('JWT_ISSUER and JWT_AUDIENCE are required when JWTs are accepted');
  }
  if (values.PLANS_FILE === undefined && !BUILT_IN_PLANS.includes(values.DEFAULT_PLAN)) {
    throw new ConfigError(`DEFAULT_PLAN takes one of ${BUILT_IN_PLANS.join(', ')}, or a plan of PLANS_FILE`);
  }
  return Object.freeze({
    ...commonPart(values),
    apiHost: values.API_HOST,
    apiPort: values.API_PORT,
    publicApiUrl: values.PUBLIC_API_URL,
    previousSecretKey: values.SECRET_KEY_PREVIOUS,
    certificatesDir: values.TLS_CERTIFICATES_DIR && path.resolve(values.TLS_CERTIFICATES_DIR),
    publicHttpsPort: values.HTTPS_PUBLIC_PORT,
    databaseUrl: values.DATABASE_URL,
    embeddedFsync: values.EMBEDDED_FSYNC,
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
          maxTokenDays: values.JWT_TOKEN_MAX_DAYS,
        }
      : undefined,
    corsOrigins: values.CORS_ORIGINS,
    defaultPlan: values.DEFAULT_PLAN,
    plansFile: values.PLANS_FILE,
    dashboardUrl: values.DASHBOARD_URL,
    hasConsole: values.CONSOLE,
    billing: billingPart(values),
    rateLimitMultiplier: values.RATE_LIMIT_MULTIPLIER,
    dnsServers: values.DNS_SERVERS,
    webhookAllowPrivate: values.WEBHOOK_ALLOW_PRIVATE,
    destinationChecks: values.DESTINATION_CHECKS,
    mail: mailPart(values),
    // Names under .localhost resolve to the client's machine, so on a server they do not verify a domain.
    allowLocalhostDomains: values.ALLOW_LOCALHOST_DOMAINS ?? values.DATABASE_URL === undefined,
    ...acmePart(values),
  });
}

/** Configuration of a data plane; see the table in the README. */
export function parseDataplaneConfig(environment: Environment) {
  const values = parseEnvironment(environment, { ...common, ...dataplane });
  if (values.CONTROL_PLANE_URL !== undefined && hasCredentials(values.CONTROL_PLANE_URL)) {
    throw new ConfigError('CONTROL_PLANE_URL takes http(s)://host[:port], without user name and password');
  }
  checkDistinctPorts([
    { variable: 'REDIRECT_PORT', host: values.REDIRECT_HOST, port: values.REDIRECT_PORT },
    { variable: 'ADMIN_PORT', host: values.ADMIN_HOST, port: values.ADMIN_PORT },
    ...tlsPorts(values.REDIRECT_HOST, values.TLS_PORT),
  ]);
  return Object.freeze({
    ...commonPart(values),
    redirectHost: values.REDIRECT_HOST,
    redirectPort: values.REDIRECT_PORT,
    redirectWorkers: values.REDIRECT_WORKERS,
    adminHost: values.ADMIN_HOST,
    adminPort: values.ADMIN_PORT,
    hitFlushIntervalMs: values.HIT_FLUSH_INTERVAL_MS,
    keepAliveSeconds: values.KEEP_ALIVE_SECONDS,
    maxKeptConnections: values.MAX_KEPT_CONNECTIONS,
    controlPlaneUrl: values.CONTROL_PLANE_URL,
    previousSecretKey: values.SECRET_KEY_PREVIOUS,
    handoverMs: values.HANDOVER_SECONDS * 1_000,
    ...tlsPart(values),
  });
}

/** Configuration of an ingest process; see the table in the README. */
export function parseIngestConfig(environment: Environment) {
  const values = parseEnvironment(environment, { ...common, ...analytics, ...ingest });
  return Object.freeze({
    ...commonPart(values),
    clickhouseUrl: values.CLICKHOUSE_URL,
    ingestHost: values.INGEST_HOST,
    ingestPort: values.INGEST_PORT,
  });
}

/** @throws {ConfigError} if mails would have no sender */
function mailPart(values: ValuesOf<typeof controlplane>) {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from } = values;
  if (smtpUrl === undefined) return undefined;
  if (from === undefined) {
    throw new ConfigError(
      'MAIL_FROM is required with SMTP_URL: it takes an address, such as "Waymark <mail@example.com>"',
    );
  }
  return { smtpUrl, from };
}

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

function commonPart(values: ValuesOf<typeof common>) {
  return {
    dataDir: path.resolve(values.DATA_DIR),
    logLevel: values.LOG_LEVEL,
    trustedProxies: values.TRUSTED_PROXIES,
    clientIpHeader: values.CLIENT_IP_HEADER,
    secretKey: values.SECRET_KEY,
    geoipDb: values.GEOIP_DB,
    redisUrl: values.REDIS_URL,
    kafka: kafkaPart(values),
    drainDelayMs: values.DRAIN_DELAY_MS,
  };
}

export type ControlplaneConfig = ReturnType<typeof parseControlplaneConfig>;
export type DataplaneConfig = ReturnType<typeof parseDataplaneConfig>;
export type IngestConfig = ReturnType<typeof parseIngestConfig>;
