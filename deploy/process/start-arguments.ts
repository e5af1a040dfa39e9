import { ConfigError } from '../../shared/config/environment.js';

const ACCEPT_EMPTY_DATABASE = '--accept-empty-database';

/** Arguments of a start beside its environment. */
export interface StartArguments {
  /** Whether the database may replace any ruleset that is served, and an embedded one be made anew. */
  readonly acceptsAnyLoss: boolean;
}

/**
 * @param given the arguments after the script's name
 * @throws {ConfigError} when there is one that is not known
 */
export function parseStartArguments(given: readonly string[]): StartArguments {
  const unknown = given.find((argument) => argument !== ACCEPT_EMPTY_DATABASE);
  if (unknown !== undefined) {
    throw new ConfigError(`Unknown argument ${unknown}. The only one is ${ACCEPT_EMPTY_DATABASE}.`);
  }
  return { acceptsAnyLoss: given.includes(ACCEPT_EMPTY_DATABASE) };
}
