import { LRUCache } from 'lru-cache';
import { isEmail } from '../../shared/config/email-address.js';
import type { Database, Queryable } from '../database/database.js';
import { newId } from '../database/new-id.js';
import { normalizeEmail, type User } from './user.js';
import { userRepository } from './user-repository.js';

const CACHE_LIFETIME_MS = 5_000;
const CACHE_SIZE = 10_000;

export interface ExternalIdentity {
  /** Issuer and subject in one. */
  readonly subject: string;
  /** An address that the issuer vouches for. */
  readonly email: string | undefined;
}

/** Users that another system logs in. */
export interface ExternalUsers {
  /** The user of a subject, added when it is first seen. */
  findOrAdd(identity: ExternalIdentity): Promise<User>;
}

export function createExternalUsers(database: Database): ExternalUsers {
  const cache = new LRUCache<string, User>({ max: CACHE_SIZE, ttl: CACHE_LIFETIME_MS });

  return {
    async findOrAdd(identity) {
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
 * An address that another user has is left to them: to be logged in elsewhere under an address does not make
 * anybody the owner of an account here. Another request may add the same subject meanwhile; then it is that one.
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
