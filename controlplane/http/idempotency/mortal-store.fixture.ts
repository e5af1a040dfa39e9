import type { SecretKeys } from '../../../shared/config/secret-key.js';
import type { Database } from '../../storage/postgres/database.js';
import type { IdempotencyStore } from '../idempotency.js';
import { createIdempotencyStore } from './idempotency-store.js';

/** The store of a process that can be killed. */
export interface MortalStore {
  readonly store: IdempotencyStore;
  /** While set, requests end after the commit and before their answer is stored, as if the process had been killed. */
  dies: boolean;
}

/** @param database called with the first request */
export function createMortalStore(database: () => Database, secrets: SecretKeys): MortalStore {
  let real: IdempotencyStore | undefined;
  const store = () => {
    real ??= createIdempotencyStore({ database: database(), secrets, waitMs: 0 });
    return real;
  };
  const mortal: MortalStore = {
    dies: false,
    store: {
      reserve: (...args) => store().reserve(...args),
      renew: (...args) => store().renew(...args),
      completeIn: (...args) => store().completeIn(...args),
      complete: async (...args) => (mortal.dies ? undefined : store().complete(...args)),
      release: async (...args) => (mortal.dies ? undefined : store().release(...args)),
    },
  };
  return mortal;
}
