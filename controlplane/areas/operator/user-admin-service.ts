import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser, IsOperator } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { recordAccount, type StandingPasses } from '../accounts/public.js';
import { operatorLog } from './operator-log.js';
import { type ListedUser, userAdminRepository } from './user-admin-repository.js';

export interface UserAdminServiceDeps extends Pick<AreaParts, 'database' | 'outbox' | 'mails'> {
  readonly isOperator: IsOperator;
  readonly standingPasses: StandingPasses;
  /** Invalidates this process's cached states of users. */
  readonly onStandingChanged: () => void;
}

/** Suspends users: their requests are refused, and visitors of their redirects get 410. */
export type UserAdminService = ReturnType<typeof createUserAdminService>;

export function createUserAdminService(deps: UserAdminServiceDeps) {
  const { database, outbox, mails, isOperator, standingPasses, onStandingChanged } = deps;

  async function change(id: string, work: (tx: Queryable) => Promise<boolean>): Promise<ListedUser> {
    const user = await outbox.commit(async (tx, record) => {
      const before = await requireUser(tx, id);
      if (!(await work(tx))) return before;
      await standingPasses.begin(tx, record, id);
      return requireUser(tx, id);
    });
    onStandingChanged();
    mails.wake();
    await standingPasses.publish(id);
    return user;
  }

  return {
    /** @throws {AppError} NOT_FOUND, VALIDATION_ERROR for an operator */
    async suspend(operator: CurrentUser, id: string, reason: string): Promise<ListedUser> {
      const { email } = await requireUser(database, id);
      if (await isOperator({ ...operator, id, email })) throw operatorStays();
      return change(id, async (tx) => {
        if (!(await userAdminRepository.suspend(tx, id, reason))) return false;
        const detail = { reason };
        await operatorLog.add(tx, operator, { action: 'user.suspend', subject: id, detail });
        if (email !== null) await mails.enqueue(tx, suspensionMail(email, reason));
        await recordAccount(tx, { id, email }, null, 'account.suspended', 'Suspended by the operator');
        return true;
      });
    },

    /** @throws {AppError} NOT_FOUND */
    resume: (operator: CurrentUser, id: string): Promise<ListedUser> =>
      change(id, async (tx) => {
        if (!(await userAdminRepository.resume(tx, id))) return false;
        await operatorLog.add(tx, operator, { action: 'user.resume', subject: id, detail: {} });
        const summary = 'Suspension taken back by the operator';
        await recordAccount(tx, await requireUser(tx, id), null, 'account.resumed', summary);
        return true;
      }),
  };
}

async function requireUser(tx: Queryable, id: string): Promise<ListedUser> {
  const user = await userAdminRepository.find(tx, id);
  if (user === undefined) throw new AppError('NOT_FOUND', { message: 'There is no user with this id.' });
  return user;
}

function operatorStays(): AppError {
  return new AppError('VALIDATION_ERROR', {
    message: 'This user is the operator of the installation and cannot be suspended.',
  });
}

function suspensionMail(to: string, reason: string) {
  return {
    to,
    subject: 'Your account is suspended',
    text: `The operator of this service has suspended your account. Visitors of your redirects get 410 (Gone).
${reason === '' ? '' : `\nReason: ${reason}\n`}
Contact the operator to have this taken back.
`,
  };
}
