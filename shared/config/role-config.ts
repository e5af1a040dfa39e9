import {
  type ControlplaneConfig,
  type DataplaneConfig,
  type IngestConfig,
  parseControlplaneConfig,
  parseDataplaneConfig,
  parseIngestConfig,
} from './config.js';
import { ConfigError, type Environment } from './environment.js';

/** Variables that a role requires, with the accepted values of each. */
const NEEDS = {
  databaseUrl: [
    'DATABASE_URL',
    'the URL of a PostgreSQL server: postgres://user:password@host:5432/database',
  ],
  redisUrl: ['REDIS_URL', 'the URL of a Redis server: redis://user:password@host:6379 or rediss://…'],
  kafka: ['KAFKA_BROKERS', 'the addresses of Kafka brokers: host:9092,host:9092'],
  clickhouseUrl: [
    'CLICKHOUSE_URL',
    'the URL of a ClickHouse server: http://user:password@host:8123/database',
  ],
} as const;

type Need = keyof typeof NEEDS;

/** A configuration that has every value that the role requires. */
type With<Config, Key extends Need & keyof Config> = Config & {
  readonly [K in Key]-?: NonNullable<Config[K]>;
};

export type ControlplaneRoleConfig = With<ControlplaneConfig, 'databaseUrl' | 'redisUrl' | 'clickhouseUrl'>;
export type DataplaneRoleConfig = With<DataplaneConfig, 'redisUrl' | 'kafka'>;
export type IngestRoleConfig = With<IngestConfig, 'kafka' | 'clickhouseUrl'>;

/** @throws {ConfigError} naming each variable that is wrong or missing, and what it takes */
export function parseControlplaneRoleConfig(environment: Environment): ControlplaneRoleConfig {
  const config = parseControlplaneConfig(environment);
  return withNeeds('a control plane', config, ['databaseUrl', 'redisUrl', 'clickhouseUrl']);
}

/** @throws {ConfigError} naming each variable that is wrong or missing, and what it takes */
export function parseDataplaneRoleConfig(environment: Environment): DataplaneRoleConfig {
  const config = parseDataplaneConfig(environment);
  if (config.tls !== undefined && !config.tls.certificatesDir && !config.controlPlaneUrl) {
    throw new ConfigError(
      'TLS_PORT needs certificates: set CONTROL_PLANE_URL to the address of the API, TLS_CERTIFICATES_DIR to a folder, or both',
    );
  }
  return withNeeds('a data plane', config, ['redisUrl', 'kafka']);
}

/** @throws {ConfigError} naming each variable that is wrong or missing, and what it takes */
export function parseIngestRoleConfig(environment: Environment): IngestRoleConfig {
  return withNeeds('ingest', parseIngestConfig(environment), ['kafka', 'clickhouseUrl']);
}

function withNeeds<Config extends object, Key extends Need & keyof Config>(
  role: string,
  config: Config,
  needs: readonly Key[],
): With<Config, Key> {
  if (hasAll(config, needs)) return config;
  const missing = needs.filter((need) => config[need] === undefined).map((need) => NEEDS[need]);
  throw new ConfigError(
    missing.map(([name, takes]) => `${name} is required by ${role}: it takes ${takes}`).join('\n'),
  );
}

function hasAll<Config extends object, Key extends Need & keyof Config>(
  config: Config,
  needs: readonly Key[],
): config is With<Config, Key> {
  return needs.every((need) => config[need] !== undefined);
}
