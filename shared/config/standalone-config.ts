import {
  type ControlplaneConfig,
  type DataplaneConfig,
  type Environment,
  parseControlplaneConfig,
  parseDataplaneConfig,
} from './config.js';
import { checkDistinctPorts } from './distinct-ports.js';

export type StandaloneConfig = ControlplaneConfig & DataplaneConfig;

/**
 * Configuration of everything in one command: the control plane's part, and the data planes' own, which read theirs
 * again for themselves.
 *
 * @throws {ConfigError} naming each variable that is wrong and what it takes
 */
export function parseStandaloneConfig(environment: Environment): StandaloneConfig {
  const config = { ...parseDataplaneConfig(environment), ...parseControlplaneConfig(environment) };
  const api = { variable: 'API_PORT', host: config.apiHost, port: config.apiPort };
  const redirects = { variable: 'REDIRECT_PORT', host: config.redirectHost, port: config.redirectPort };
  const admin = { variable: 'ADMIN_PORT', host: config.adminHost, port: config.adminPort };
  checkDistinctPorts([api, redirects, admin]);
  return Object.freeze(config);
}
