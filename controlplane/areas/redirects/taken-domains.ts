import type { Logger } from 'pino';
import type { Queryable } from '../../storage/postgres/database.js';
import { proofRepository } from './proof-repository.js';

/**
 * Makes the proofs of domains due soon that other users claimed and were refused: the domains may have been sold. It
 * does not wait, because the transaction of the refusal may hold the only connection.
 */
export function createTakenDomains(deps: { readonly database: Queryable; readonly logger: Logger }) {
  const { database, logger } = deps;
  return (domains: readonly string[]): void => {
    proofRepository
      .hasten(database, domains)
      .catch((error: unknown) => logger.warn({ err: error }, 'proofs of domains could not be made due'));
  };
}
