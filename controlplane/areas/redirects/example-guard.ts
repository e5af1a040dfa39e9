import type { CurrentUser } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from './redirect.js';

/** Maker of a change, as far as the guard asks. */
export type GuardedUser = Pick<CurrentUser, 'mayBreakExamples'>;

/**
 * Refuses changes of redirects that break their examples. A redirect without examples costs nothing. Each function needs
 * the lock of the redirect's row, and throws `AppError` EXAMPLES_BROKEN unless the user may break examples.
 */
export interface ExampleGuard {
  /**
   * Runs a change of the settings, rules or paths in its transaction, and compares the redirect before with the one after.
   *
   * @param redirect as it is before the change
   */
  keep<T>(tx: Queryable, user: GuardedUser, redirect: Redirect, change: () => Promise<T>): Promise<T>;
  /** Compares settings before they are written, so that a refusal has nothing to roll back. */
  requireKept(tx: Queryable, user: GuardedUser, before: Redirect, after: Redirect): Promise<void>;
}

/** A guard that allows everything, where there are no examples. */
export const NO_EXAMPLES: ExampleGuard = {
  keep: (_tx, _user, _redirect, change) => change(),
  requireKept: async () => undefined,
};
