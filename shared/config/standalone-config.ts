import {
  type ControlplaneConfig,
  type DataplaneConfig,
  parseControlplaneConfig,
  parseDataplaneConfig,
} from './config.js';
import { checkDistinctPorts } from './distinct-ports.js';
import { ConfigError, type Environment } from './environment.js';
import { tlsPorts } from './tls-config.js';

export type StandaloneConfig = ControlplaneConfig & DataplaneConfig;

/**
 * Parses the configuration of the standalone process: that of the control plane and that of the data planes. The
 * data-plane processes parse theirs again.
 *
 * @throws {ConfigError} naming each variable that either part refuses and its accepted values; if both parts are valid,
 * the variables whose values conflict
 */
export function parseStandaloneConfig(environment: Environment): StandaloneConfig {
  const config = bothOf(
    () => parseDataplaneConfig(environment),
    () => parseControlplaneConfig(environment),
  );
  const api = { variable: 'API_PORT', host: config.apiHost, port: config.apiPort };
  const redirects = { variable: 'REDIRECT_PORT', host: config.redirectHost, port: config.redirectPort };
  const admin = { variable: 'ADMIN_PORT', host: config.adminHost, port: config.adminPort };
  checkDistinctPorts([api, redirects, admin, ...tlsPorts(config.redirectHost, config.tls?.port)]);
  return Object.freeze(config);
}

/** Runs both parsers. @throws {ConfigError} with the lines of both errors */
function bothOf<One, Other>(parseOne: () => One, parseOther: () => Other): One & Other {
  const one = parsedOrRefused(parseOne);
  const other = parsedOrRefused(parseOther);
  if ('parsed' in one && 'parsed' in other) return { ...one.parsed, ...other.parsed };
  const lines = [one, other].flatMap((part) => ('refused' in part ? part.refused.message.split('\n') : []));
  // Both parsers report the variables that they share, so remove duplicates.
  throw new ConfigError([...new Set(lines)].join('\n'));
}

function parsedOrRefused<Config>(parse: () => Config): { parsed: Config } | { refused: ConfigError } {
  try {
    return { parsed: parse() };
  } catch (error) {
    if (error instanceof ConfigError) return { refused: error };
    throw error;
  }
}
