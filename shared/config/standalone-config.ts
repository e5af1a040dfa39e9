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
 * Configuration of the one-command product: that of the control plane and that of the data planes, which read theirs again.
 *
 * @throws {ConfigError} naming each variable that either part refuses and what it takes; if neither refuses any, those whose
 *   values conflict
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

/** @throws {ConfigError} with the lines of each that one of them throws */
function bothOf<One, Other>(parseOne: () => One, parseOther: () => Other): One & Other {
  const one = parsedOrRefused(parseOne);
  const other = parsedOrRefused(parseOther);
  if ('parsed' in one && 'parsed' in other) return { ...one.parsed, ...other.parsed };
  const lines = [one, other].flatMap((part) => ('refused' in part ? part.refused.message.split('\n') : []));
  // Variables that both take are refused by both.
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
