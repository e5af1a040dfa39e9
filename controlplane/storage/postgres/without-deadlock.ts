import { codeOf } from '../../../shared/process/error-facts.js';

/** PostgreSQL's code for a transaction that it has ended, because it and others waited for each other. */
const DEADLOCK = '40P01';
const MAX_ATTEMPTS = 5;

/**
 * Runs a transaction again if PostgreSQL has ended it to resolve a deadlock. The other transactions can continue, so
 * the next attempt only waits for them.
 */
export async function withoutDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (codeOf(error) !== DEADLOCK || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
