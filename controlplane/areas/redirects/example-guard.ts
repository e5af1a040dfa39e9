import type { CurrentUser } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from './redirect.js';

/** User who makes a change. */
export type GuardedUser = Pick<CurrentUser, 'mayBreakExamples'>;

/**
 * Refuses changes of redirects that break their examples. It costs nothing for a redirect without examples. Each
 * function needs the lock of the redirect's row, and throws `AppError` EXAMPLES_BROKEN unless the user allows broken
 * examples.
 */
export interface ExampleGuard {
  /**
   * Applies a change of settings, rules or paths in its transaction, and compares the redirect before and after it.
   *
   * @param redirect before the change
   */
  keep<T>(tx: Queryable, user: GuardedUser, redirect: Redirect, change: () => Promise<T>): Promise<T>;
  /** Compares settings before they are written. A refusal then needs no rollback. */
  requireKept(tx: Queryable, user: GuardedUser, before: Redirect, after: Redirect): Promise<void>;
}

/** Guard for installations without examples. It allows every change. */
export const NO_EXAMPLES: ExampleGuard = {
  keep: (_tx, _user, _redirect, change) => change(),
  requireKept: async () => undefined,
};
