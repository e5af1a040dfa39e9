import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../errors/app-error.js';
import type { CurrentUser } from '../../../http/current-user.js';
import { createBodyCheck } from '../../../http/request-validation.js';
import type { RecordChange } from '../../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../../storage/postgres/database.js';
import { type NewRedirect, readNewRedirect } from '../new-redirect.js';
import type { Redirect, StoredSettings } from '../redirect.js';
import { redirectBatches, type TargetNames } from '../redirect-batches.js';
import type { ChangeSettings, RedirectChanges } from '../redirect-changes.js';
import { requireDomainOrWildcard } from '../redirect-refusals.js';
import {
  type CreateRedirect,
  CreateRedirectSchema,
  PatchRedirectSchema,
  READ_ONLY_MEMBERS,
} from '../redirect-schema.js';
import { settingsAfter } from '../redirect-service.js';
import { replacedSettings } from '../redirect-settings.js';
import { type BulkResult, OPERATIONS, type Operation } from './bulk-schema.js';

/** Members of an operation without `op`. */
type Members = Readonly<Record<string, unknown>>;

/** Members that exports have and a creation cannot set. */
const IGNORED: ReadonlySet<string> = new Set(['id', ...READ_ONLY_MEMBERS]);

/** The effect of one operation. */
export type Effect = Pick<BulkResult, 'status' | 'id'>;

export interface OperationContext {
  readonly tx: Queryable;
  readonly record: RecordChange;
  readonly user: CurrentUser;
  /** Whether a creation changes the existing redirect if the user already has one of the domain. Default: no. */
  readonly updatesExisting?: boolean;
}

/** Applies operations in a transaction that holds `lockLoopGraph`. */
export interface Operations {
  /**
   * Applies one operation.
   *
   * @throws {AppError} the error of a single request; the caller must then roll back its writes
   */
  apply(operation: unknown, context: OperationContext): Promise<Effect>;
  /**
   * Reads a creation for `CreateMany`.
   *
   * @throws {AppError} VALIDATION_ERROR
   */
  readCreation(operation: unknown): NewRedirect;
  /**
   * Reads a change or a deletion for `ManyChanges`.
   *
   * @throws {AppError} VALIDATION_ERROR
   */
  readChange(operation: unknown): ChangeOperation;
}

/** A change or a deletion. */
export interface ChangeOperation {
  readonly members: Members;
  /** Computes the settings after a change. Throws `AppError` for a refusal, and `Unchanged`. */
  readonly settingsOf: ChangeSettings;
}

/** Thrown by a change that would change nothing. */
export class Unchanged extends Error {
  constructor(readonly redirect: Redirect) {
    super('the redirect has these settings already');
  }
}

/** Returns the `op` of an operation. In reports, an unreadable operation counts as a creation. */
export function opOf(operation: unknown): Operation {
  const { op } = Object(operation) as { op?: unknown };
  return OPERATIONS.find((known) => known === op) ?? 'create';
}

export function createOperations(changes: RedirectChanges): Operations {
  const checkCreate = createBodyCheck(CreateRedirectSchema);
  const checkPatch = createBodyCheck(PatchRedirectSchema);

  function newRedirectOf(members: Members): NewRedirect {
    const writable = Object.fromEntries(Object.entries(members).filter(([name]) => !IGNORED.has(name)));
    checkCreate(writable);
    return { ...(writable as CreateRedirect), takesWildcard: true };
  }

  async function create(members: Members, { tx, record, user }: OperationContext): Promise<Effect> {
    const { id } = await changes.create(tx, record, user, readNewRedirect(newRedirectOf(members)));
    return { status: 'created', id };
  }

  function changeOf(members: Members): ChangeOperation {
    checkPatch(members);
    return { members, settingsOf: changedOnly(settingsAfter(members, replacedSettings)) };
  }

  async function update(members: Members, { tx, record, user }: OperationContext): Promise<Effect> {
    const { settingsOf } = changeOf(members);
    const { id } = await find(members, tx, user);
    try {
      await changes.change(tx, record, { user, id, settingsOf, mayMove: true });
      return { status: 'updated', id };
    } catch (error) {
      if (error instanceof Unchanged) return { status: 'unchanged', id };
      throw error;
    }
  }

  async function remove(members: Members, { tx, record, user }: OperationContext): Promise<Effect> {
    checkPatch(members);
    const { id } = await find(members, tx, user);
    await changes.delete(tx, record, { user, id });
    return { status: 'deleted', id };
  }

  /** Finds the redirect of a user by id, otherwise by external id, otherwise by domain. Locks it in the last two cases. */
  async function find(members: Members, tx: Queryable, user: CurrentUser): Promise<{ readonly id: string }> {
    const { id, externalId, fromDomain } = members;
    if (typeof id === 'string') return { id };
    const byExternalId =
      typeof externalId === 'string' ? await lockOne(tx, user, { externalIds: [externalId] }) : undefined;
    if (byExternalId !== undefined) return byExternalId;
    const byDomain =
      typeof fromDomain === 'string'
        ? await lockOne(tx, user, { domains: [requireDomainOrWildcard(fromDomain, 'fromDomain')] })
        : undefined;
    if (byDomain !== undefined) return byDomain;
    throw notFound(members);
  }

  return {
    async apply(operation, context) {
      const { op, ...members } = requireOperation(operation);
      switch (op) {
        case 'create':
          return create(members, context);
        case 'update':
          return update(members, context);
        case 'delete':
          return remove(members, context);
      }
    },
    readCreation(operation) {
      const { op: _, ...members } = requireOperation(operation);
      return newRedirectOf(members);
    },
    readChange(operation) {
      const { op: _, ...members } = requireOperation(operation);
      return changeOf(members);
    },
  };
}

/** Locks the redirect of a user that has one of the names. */
async function lockOne(
  tx: Queryable,
  user: CurrentUser,
  names: Partial<TargetNames>,
): Promise<Redirect | undefined> {
  const targets = { ids: [], externalIds: [], domains: [], ...names };
  const [redirect] = await redirectBatches.lockTargets(tx, user.id, targets);
  return redirect;
}

/** Makes a change of settings throw `Unchanged` if nothing would change. */
function changedOnly(settingsOf: (current: Redirect) => StoredSettings) {
  return (current: Redirect): StoredSettings => {
    const settings = settingsOf(current);
    const isSame = Object.entries(settings).every(([name, value]) =>
      isDeepStrictEqual(value, current[name as keyof StoredSettings]),
    );
    if (isSame) throw new Unchanged(current);
    return settings;
  };
}

function requireOperation(operation: unknown): Members & { readonly op: Operation } {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) {
    throw new AppError('VALIDATION_ERROR', { message: 'An operation must be an object.' });
  }
  const { op = 'create', ...members } = operation as Members;
  const known = OPERATIONS.find((one) => one === op);
  if (known !== undefined) return { ...members, op: known };
  throw new AppError('VALIDATION_ERROR', {
    field: 'op',
    message: `op must be one of: ${OPERATIONS.join(', ')}.`,
  });
}

function notFound({ externalId, fromDomain }: Members): AppError {
  if (externalId === undefined && fromDomain === undefined) {
    return new AppError('VALIDATION_ERROR', {
      field: 'id',
      message: 'id, externalId or fromDomain must say which redirect is meant.',
    });
  }
  return new AppError('NOT_FOUND', {
    message: `You have no redirect with this ${fromDomain === undefined ? 'externalId' : 'fromDomain'}.`,
  });
}
