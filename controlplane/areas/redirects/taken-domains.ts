import type { Logger } from 'pino';
import type { Queryable } from '../../storage/postgres/database.js';
import { proofRepository } from './proof-repository.js';

/**
 * Returns a function that makes proofs due when other users claimed the domains and were refused, because the domains may
 * have been sold. It does not wait: the transaction of the refusal may hold the only connection.
 */
export function createTakenDomains(deps: { readonly database: Queryable; readonly logger: Logger }) {
  const { database, logger } = deps;
  return (domains: readonly string[]): void => {
    proofRepository
      .hasten(database, domains)
      .catch((error: unknown) => logger.warn({ err: error }, 'proofs of domains could not be made due'));
  };
}
