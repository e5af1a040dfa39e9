import { LRUCache } from 'lru-cache';
import { isEmail } from '../../../shared/config/email-address.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { normalizeEmail, type User } from './user.js';
import { userRepository } from './user-repository.js';

/** Maximum time until a process notices that a user is suspended. */
const CACHE_LIFETIME_MS = 1_000;
const CACHE_SIZE = 10_000;

export interface ExternalIdentity {
  /** Issuer and subject, combined. */
  readonly subject: string;
  /** An address that the issuer has verified. */
  readonly email: string | undefined;
}

/** Users who log in at an external issuer. */
export type ExternalUsers = ReturnType<typeof createExternalUsers>;

export function createExternalUsers(database: Database) {
  const cache = new LRUCache<string, User>({ max: CACHE_SIZE, ttl: CACHE_LIFETIME_MS });

  return {
    /** Returns the user of a subject. Creates the user on first use. */
    async findOrAdd(identity: ExternalIdentity): Promise<User> {
      const cached = cache.get(identity.subject);
      if (cached !== undefined) return cached;
      const user =
        (await userRepository.findBySubject(database, identity.subject)) ?? (await add(database, identity));
      cache.set(identity.subject, user);
      return user;
    },
  };
}

/**
 * Creates the user. If another user has the address, creates it without the address: a log-in at the issuer does not
 * prove that the account here belongs to the same person. Resolves to the existing user when another request created it
 * first.
 */
async function add(source: Queryable, { subject, email }: ExternalIdentity): Promise<User> {
  const user = { id: newId(), externalSubject: subject };
  const added =
    (email !== undefined && isEmail(email)
      ? await userRepository.insert(source, { ...user, email: normalizeEmail(email) })
      : undefined) ??
    (await userRepository.insert(source, user)) ??
    (await userRepository.findBySubject(source, subject));
  if (added === undefined) throw new Error('a user was removed while it was being added');
  return added;
}
