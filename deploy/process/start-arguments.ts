import { ConfigError } from '../../shared/config/environment.js';

const ACCEPT_EMPTY_DATABASE = '--accept-empty-database';

/** Command-line arguments of a start. */
export interface StartArguments {
  /** Whether the database may replace any served ruleset, and a missing embedded one may be created. */
  readonly acceptsAnyLoss: boolean;
}

/**
 * @param given arguments after the script's name
 * @throws {ConfigError} for an unknown argument
 */
export function parseStartArguments(given: readonly string[]): StartArguments {
  const unknown = given.find((argument) => argument !== ACCEPT_EMPTY_DATABASE);
  if (unknown !== undefined) {
    throw new ConfigError(`Unknown argument ${unknown}. The only one is ${ACCEPT_EMPTY_DATABASE}.`);
  }
  return { acceptsAnyLoss: given.includes(ACCEPT_EMPTY_DATABASE) };
}
