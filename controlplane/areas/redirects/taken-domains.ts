import type { Logger } from 'pino';
import type { Queryable } from '../../storage/postgres/database.js';
import { proofRepository } from './proof-repository.js';

/**
 * Has the owners' proofs of domains checked soon that others were refused: the domains may have been sold. Nobody waits for it,
 * because the transaction of the refusal may hold the only connection.
 */
export function createTakenDomains(deps: { readonly database: Queryable; readonly logger: Logger }) {
  const { database, logger } = deps;
  return (domains: readonly string[]): void => {
    proofRepository
      .hasten(database, domains)
      .catch((error: unknown) => logger.warn({ err: error }, 'proofs of domains could not be made due'));
  };
}
