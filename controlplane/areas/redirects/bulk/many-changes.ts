import { AppError } from '../../../errors/app-error.js';
import { emitAll } from '../../webhooks/public.js';
import { reachedByFallback } from '../loops/fallback-loops.js';
import type { Redirect } from '../redirect.js';
import { redirectEvent } from '../redirect-announcements.js';
import { redirectBatches } from '../redirect-batches.js';
import { isDisabled, isMoved } from '../redirect-changes.js';
import { type RedirectChange, recordRedirects } from '../redirect-history.js';
import { requireDomainOrWildcard } from '../redirect-refusals.js';
import { type ChangeOperation, type Effect, type OperationContext, Unchanged } from './bulk-operations.js';

/** `alone`: the operation must be applied separately, after the others. */
export type ManyEffect = Effect | AppError | 'alone';

type Members = ChangeOperation['members'];

interface Target {
  readonly redirect: Redirect;
  /** Whether the members name the same redirect after any earlier operations. */
  readonly isCertain: boolean;
}
type FindTarget = (members: Members) => Target | undefined;

/**
 * Locks the redirects. Redirects of other users, and redirects that an earlier operation may have created, count as not
 * found.
 */
async function lockTargets(
  operations: readonly ChangeOperation[],
  { tx, user }: OperationContext,
): Promise<FindTarget> {
  const members = operations.map((operation) => operation.members);
  const redirects = await redirectBatches.lockTargets(tx, user.id, {
    ids: textsOf(members, 'id'),
    externalIds: textsOf(members, 'externalId'),
    domains: members.flatMap((one) => domainOf(one) ?? []),
  });
  const byId = new Map(redirects.map((redirect) => [redirect.id, redirect]));
  const byExternalId = new Map(redirects.map((redirect) => [redirect.externalId, redirect]));
  const byDomain = new Map(redirects.map((redirect) => [redirect.fromDomain, redirect]));
  return (one) => {
    if (typeof one.id === 'string') return targetOf(byId.get(one.id));
    const hasExternalId = typeof one.externalId === 'string';
    const named = hasExternalId ? byExternalId.get(String(one.externalId)) : undefined;
    return targetOf(named) ?? targetOf(byDomain.get(domainOf(one) ?? ''), !hasExternalId);
  };
}

/** Applies changes or deletions with a few statements for all of them, in a transaction that holds `lockLoopGraph`. */
export const manyChanges = {
  /**
   * Skips operations that change the destination host, set another external id or affect examples, and later operations
   * on the same redirects. These are applied alone.
   */
  async update(
    operations: readonly ChangeOperation[],
    context: OperationContext,
  ): Promise<readonly ManyEffect[]> {
    const { tx, record, user } = context;
    const find = await lockTargets(operations, context);
    const reached = await reachedByFallback(tx, user.id);
    const written = new Map<string, ReturnType<ChangeOperation['settingsOf']>>();
    const changed: (RedirectChange & { readonly after: Redirect })[] = [];
    const alone = new Set<string>();
    const effects = operations.map(({ members, settingsOf }): ManyEffect => {
      const target = find(members);
      if (target === undefined || written.has(target.redirect.id) || alone.has(target.redirect.id))
        return 'alone';
      const current = target.redirect;
      const settings = resultOf(() => settingsOf(current));
      if (settings instanceof AppError) return settings;
      if (settings === undefined) return { status: 'unchanged', id: current.id };
      const mayLoop =
        isMoved(current, settings) || (isDisabled(current, settings) && reached.has(current.fromDomain));
      const needsChecks = mayLoop || current.exampleCount > 0;
      if (!target.isCertain || needsChecks || settings.externalId !== current.externalId) {
        alone.add(current.id);
        return 'alone';
      }
      written.set(current.id, settings);
      const after = { ...current, ...settings, version: current.version + 1 };
      changed.push({ before: current, after });
      return { status: 'updated', id: current.id };
    });
    if (changed.length === 0) return effects;
    await redirectBatches.update(tx, written);
    for (const { after } of changed) if (after.verifiedAt !== null) record(after.fromDomain);
    await emitAll(
      tx,
      changed.map(({ after }) => redirectEvent(user.id, 'updated', () => after)),
    );
    await recordRedirects(tx, user.id, user, 'redirect.updated', changed);
    return effects;
  },

  async delete(
    operations: readonly ChangeOperation[],
    context: OperationContext,
  ): Promise<readonly ManyEffect[]> {
    const { tx, record, user } = context;
    const find = await lockTargets(operations, context);
    const targets = new Map<string, Redirect>();
    const effects = operations.map(({ members }): ManyEffect => {
      const redirect = find(members)?.redirect;
      if (redirect === undefined || targets.has(redirect.id)) return 'alone';
      targets.set(redirect.id, redirect);
      return { status: 'deleted', id: redirect.id };
    });
    if (targets.size === 0) return effects;
    for (const host of await redirectBatches.delete(tx, [...targets.keys()])) record(host);
    const deleted = [...targets.values()];
    await emitAll(
      tx,
      deleted.map((redirect) => redirectEvent(user.id, 'deleted', () => redirect)),
    );
    const changes = deleted.map((before) => ({
      before,
      after: { ...before, version: before.version + 1 },
    }));
    await recordRedirects(tx, user.id, user, 'redirect.deleted', changes);
    return effects;
  },
};

function targetOf(redirect: Redirect | undefined, isCertain = true): Target | undefined {
  return redirect && { redirect, isCertain };
}

function textsOf(members: readonly Members[], name: 'id' | 'externalId'): string[] {
  return members.flatMap(({ [name]: text }) => (typeof text === 'string' ? [text] : []));
}

function domainOf({ fromDomain }: Members): string | undefined {
  if (typeof fromDomain !== 'string') return undefined;
  const domain = resultOf(() => requireDomainOrWildcard(fromDomain, 'fromDomain'));
  return typeof domain === 'string' ? domain : undefined;
}

/** Returns the result of `compute`, its refusal, or undefined if nothing would change. */
function resultOf<T>(compute: () => T): T | AppError | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof AppError) return error;
    if (error instanceof Unchanged) return undefined;
    throw error;
  }
}
