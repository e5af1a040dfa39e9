import { isEmail } from '../../../shared/config/email-address.js';
import { ConfigError } from '../../../shared/config/environment.js';
import type { IsOperator } from '../../http/current-user.js';
import { SCOPES } from '../../http/scopes.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { hashTokenSecret, isTokenSecret } from './access-token.js';
import { tokenRepository } from './token-repository.js';
import { issueToken } from './token-service.js';
import { normalizeEmail, type User } from './user.js';
import { userRepository } from './user-repository.js';

/** Default address of the first user. */
export const DEFAULT_EMAIL = 'admin@waymark.localhost';
const TOKEN_NAME = 'First token';

interface BootstrapOptions {
  /** The first user's address. Default: `admin@waymark.localhost`. */
  readonly email?: string | undefined;
  /** A token of that user, with all scopes, which does not expire. */
  readonly token?: string | undefined;
  /** Whether the first start creates a user and a token when `email` and `token` are absent. */
  readonly generate: boolean;
}

export interface Bootstrapped {
  readonly email: string;
  /** The user's token, if this call received or created it. */
  readonly token?: string;
  /** Whether this call created the user. */
  readonly created: boolean;
}

/**
 * Creates the first user and its token, unless they exist. When several processes start at the same time, one inserts
 * the user; the others wait and then find it. The user has no password, so it cannot log in.
 *
 * @throws {ConfigError} when the address or the token is invalid
 */
export async function bootstrapFirstUser(
  database: Database,
  options: BootstrapOptions,
): Promise<Bootstrapped> {
  const { generate, token } = options;
  const email = normalizeEmail(options.email ?? DEFAULT_EMAIL);
  if (!isEmail(email)) throw new ConfigError('BOOTSTRAP_EMAIL takes an e-mail address');
  if (token !== undefined && !isTokenSecret(token)) {
    throw new ConfigError('BOOTSTRAP_TOKEN takes `wm_` followed by 40 to 250 letters, digits, - or _');
  }
  const named = options.email !== undefined || token !== undefined;
  if (!named && !generate) return { email, created: false };

  return database.transaction(async (tx) => {
    // The installation has users already, so a generated first user is not needed.
    if (!named && (await userRepository.hasAny(tx))) return { email, created: false };
    const { user, created } = await findOrAddUser(tx, email);
    if (token !== undefined) {
      await ensureToken(tx, user, token);
      return { email, token, created };
    }
    if (!generate || !created) return { email, created };
    const issued = await issueToken(tx, {
      userId: user.id,
      name: TOKEN_NAME,
      scopes: SCOPES,
      expiresAt: null,
    });
    return { email, token: issued.secret, created };
  });
}

async function findOrAddUser(tx: Queryable, email: string): Promise<{ user: User; created: boolean }> {
  const added = await userRepository.insert(tx, { id: newId(), email });
  const user = added ?? (await userRepository.findByEmail(tx, email));
  if (user === undefined) throw new Error('the first user was removed while it was being added');
  return { user, created: added !== undefined };
}

async function ensureToken(tx: Queryable, user: User, secret: string): Promise<void> {
  const hash = hashTokenSecret(secret);
  const token = { id: newId(), userId: user.id, name: TOKEN_NAME, hash, scopes: SCOPES, expiresAt: null };
  if ((await tokenRepository.insert(tx, token)) !== undefined) return;
  const existing = await tokenRepository.findByHash(tx, hash);
  if (existing?.token.userId !== user.id) {
    throw new ConfigError(
      'BOOTSTRAP_TOKEN is the token of another user than BOOTSTRAP_EMAIL; choose another one',
    );
  }
}

/**
 * Creates a check for the operator: the first user, which bootstrapping creates without a log-in. The user remains the
 * operator after setting a password. The address alone is no proof: signup does not verify addresses, so anyone could
 * register it first.
 */
export function createOperatorCheck(database: Database, bootstrapEmail: string | undefined): IsOperator {
  const operatorEmail = normalizeEmail(bootstrapEmail ?? DEFAULT_EMAIL);
  return async ({ id, email }) =>
    email === operatorEmail && (await userRepository.wasMadeWithoutLogin(database, id));
}
