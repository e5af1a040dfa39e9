import { AppError } from '../errors/app-error.js';
import type { Plan } from '../plan.js';
import type { Scope } from './scopes.js';

/** User of a request, from its bearer token or session. */
export interface CurrentUser {
  readonly id: string;
  readonly email: string | null;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
  /** Id of the access token or session of the request. Absent with a JWT. */
  readonly tokenId?: string;
  /** Address that the request comes from; empty if it is not known. Absent outside of requests. */
  readonly address?: string;
  /** Whether the request may break examples of redirects: it has `force=true`. */
  readonly mayBreakExamples?: boolean;
  /** Set while the account waits for its deletion. It can be read and restored. */
  readonly isClosing?: boolean;
}

/** Returns whether the user runs the installation. Operators may see data that belongs to no user. */
export type IsOperator = (user: Pick<CurrentUser, 'id' | 'email'>) => Promise<boolean>;

/**
 * Refuses everyone except the operator.
 *
 * @param act action of the operator, for the message
 * @throws {AppError} FORBIDDEN
 */
export async function requireOperator(
  isOperator: IsOperator,
  user: Pick<CurrentUser, 'id' | 'email'>,
  act: string,
): Promise<void> {
  if (await isOperator(user)) return;
  const message = `Only the operator, the first user of this installation, may ${act}.`;
  throw new AppError('FORBIDDEN', { message });
}
