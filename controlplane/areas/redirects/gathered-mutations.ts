import { refusalOr } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { requirePrecondition } from '../../http/entity-tags.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { GatheredMutation } from '../../publishing/ruleset-outbox.js';
import type {
  GatheredInput,
  GatheredOutcome,
  HeldRows,
} from '../../storage/postgres/batched-transactions.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emitAll, findWhetherTaken } from '../webhooks/public.js';
import { type CreateMany, isMade } from './create-many.js';
import { hasFallback } from './loops/fallback-loops.js';
import { lockLoopGraph, tryLockLoopGraph } from './loops/loop-graph.js';
import type { WantedRedirect } from './new-redirect.js';
import type { Redirect, StoredSettings } from './redirect.js';
import { redirectEvent } from './redirect-announcements.js';
import { redirectBatches } from './redirect-batches.js';
import {
  isDisabled,
  isMoved,
  type NotShared,
  type RedirectChanges,
  type SettingsChange,
} from './redirect-changes.js';
import { type OwnedChange, recordEachRedirect } from './redirect-history.js';
import { requireOwner } from './redirect-owner.js';

/** A request of a user for a new redirect. */
export interface CreationRequest {
  readonly user: CurrentUser;
  readonly wanted: WantedRedirect;
  /** Stores the answer in the transaction. */
  readonly keep: KeepAnswer<Redirect> | undefined;
}

/** A request of an owner for other settings. */
export type ChangeRequest = Pick<SettingsChange, 'user' | 'id' | 'settingsOf' | 'precondition'>;

/**
 * Result of a change, or the reason why it needs another kind of transaction. In the latter case nothing has changed.
 */
export type Changed = Redirect | NotShared;

export interface GatheredMutationsDeps {
  readonly changes: RedirectChanges;
  readonly createMany: CreateMany;
}

/** Mutations of single redirects. Mutations of the same kind share statements. */
export interface GatheredMutations {
  readonly creation: GatheredMutation<CreationRequest, Redirect>;
  /** Changes that keep the destination hosts. */
  readonly change: GatheredMutation<ChangeRequest, Changed>;
  /** Any change, with the lock of the graph. */
  readonly move: GatheredMutation<ChangeRequest, Changed>;
}

export function createGatheredMutations(deps: GatheredMutationsDeps): GatheredMutations {
  const { changes, createMany } = deps;
  const changeOf = (mayMove: boolean): GatheredMutation<ChangeRequest, Changed> => ({
    locksOf: ({ id }) => ({ first: mayMove ? lockLoopGraph : undefined, rows: [id] }),
    together: (tx, inputs, held) =>
      changeTogether(tx, inputs, held, async () => mayMove || tryLockLoopGraph(tx)),
    alone: (tx, request, { record }) => changes.change(tx, record, { ...request, mayMove, isShared: true }),
  });

  return {
    creation: {
      locksOf: () => ({ first: lockLoopGraph }),
      async together(tx, inputs) {
        const creators = inputs.map(({ input: { user, wanted }, context: { record } }) => ({
          user,
          wanted,
          record,
        }));
        const creations = await createMany.ofUsers(tx, creators);
        for (const [at, { input }] of inputs.entries()) {
          const made = creations[at];
          if (made !== undefined && isMade(made)) await input.keep?.(tx, made);
        }
        return creations.map((made) => (isMade(made) ? { value: made } : made));
      },
      async alone(tx, { user, wanted, keep }, { record }) {
        const redirect = await changes.create(tx, record, user, wanted);
        await keep?.(tx, redirect);
        return redirect;
      },
    },
    change: changeOf(false),
    move: changeOf(true),
  };
}

type Inputs = readonly GatheredInput<ChangeRequest, { readonly record: (host: string) => void }>[];

/** A change that has passed all checks that need no other redirect. */
interface CheckedChange {
  readonly current: Redirect;
  readonly settings: StoredSettings;
}

/**
 * Applies changes together. Returns `alone` for those that set another external id, may close a loop, or are not the
 * first of a redirect.
 *
 * @param takeGraph resolves to whether the transaction holds the lock of the graph now
 */
async function changeTogether(
  tx: Queryable,
  inputs: Inputs,
  held: HeldRows,
  takeGraph: () => Promise<boolean>,
): Promise<GatheredOutcome<Changed>[]> {
  const ids = [...new Set(inputs.map(({ input }) => input.id))];
  const users = [...new Set(inputs.map(({ input }) => input.user.id))];
  const [isHeld, { redirects, now }, isHeard] = await Promise.all([
    held,
    redirectBatches.lockFree(tx, ids),
    findWhetherTaken(tx, users, ['redirect.updated']),
  ]);
  const byId = new Map(redirects.map((redirect) => [redirect.id, redirect]));
  const seen = new Set<string>();
  const checked = inputs.map(({ input }): CheckedChange | GatheredOutcome<Changed> => {
    if (isHeld.has(input.id)) return 'busy';
    if (seen.has(input.id)) return 'alone';
    seen.add(input.id);
    return check(byId.get(input.id), input);
  });
  const fallBack = await findThoseFallingBack(tx, checked.filter(isChecked));
  const isMoving = ({ current, settings }: CheckedChange) =>
    isMoved(current, settings) || fallBack.has(current.id);
  const moving = checked.filter(isChecked).filter(isMoving);
  const [mayMove, leadOn] =
    moving.length === 0
      ? [true, new Set<string>()]
      : await Promise.all([takeGraph(), findThoseLeadingOn(tx, moving)]);
  const certain = checked.map((one): CheckedChange | GatheredOutcome<Changed> => {
    if (!isChecked(one)) return one;
    if (isMoving(one) && !mayMove) return { value: 'needs the graph' };
    return fallBack.has(one.current.id) || leadOn.has(one.current.id) ? 'alone' : one;
  });
  return write(tx, inputs, certain, { now, isHeard });
}

function check(
  found: Redirect | undefined,
  { user, settingsOf, precondition }: ChangeRequest,
): CheckedChange | GatheredOutcome<Changed> {
  return refusalOr((): CheckedChange | GatheredOutcome<Changed> => {
    const current = requireOwner(found, user.id);
    requirePrecondition(precondition, current.version);
    if (current.exampleCount > 0) return { value: 'has examples' };
    const settings = settingsOf(current);
    return settings.externalId === current.externalId ? { current, settings } : 'alone';
  });
}

function isChecked(one: CheckedChange | GatheredOutcome<Changed>): one is CheckedChange {
  return typeof one === 'object' && 'current' in one;
}

/** Returns the ids of the redirects that are disabled and whose owner has a fallback. */
async function findThoseFallingBack(
  tx: Queryable,
  checked: readonly CheckedChange[],
): Promise<ReadonlySet<string>> {
  const disabled = checked.filter(({ current, settings }) => isDisabled(current, settings));
  if (disabled.length === 0) return new Set();
  const owners = await hasFallback(tx, [...new Set(disabled.map(({ current }) => current.userId))]);
  return new Set(disabled.flatMap(({ current }) => (owners.has(current.userId) ? [current.id] : [])));
}

/** Returns the ids of the redirects whose destination would be a host with a redirect that counts for their user. */
async function findThoseLeadingOn(
  tx: Queryable,
  moved: readonly CheckedChange[],
): Promise<ReadonlySet<string>> {
  if (moved.length === 0) return new Set();
  const claims = moved.map(({ current: { fromDomain, userId }, settings }) => ({
    ...settings,
    fromDomain,
    userId,
    externalId: null,
  }));
  const obstacles = await redirectBatches.findObstacles(tx, claims);
  return new Set(moved.flatMap(({ current }, at) => (obstacles[at]?.leadsOn === false ? [] : [current.id])));
}

/** Writes the changes that were checked, with the next statement of the transaction. */
async function write(
  tx: Queryable,
  inputs: Inputs,
  checked: readonly (CheckedChange | GatheredOutcome<Changed>)[],
  { now, isHeard }: { readonly now: Date; readonly isHeard: boolean },
): Promise<GatheredOutcome<Changed>[]> {
  const settings = new Map(checked.filter(isChecked).map((one) => [one.current.id, one.settings]));
  if (settings.size > 0) await redirectBatches.update(tx, settings, true);
  const updates: (OwnedChange & { readonly after: Redirect })[] = [];
  const outcomes = checked.map((one, at): GatheredOutcome<Changed> => {
    if (!isChecked(one)) return one;
    const { input, context } = inputs[at] as Inputs[number];
    const { current } = one;
    const after: Redirect = { ...current, ...one.settings, updatedAt: now, version: current.version + 1 };
    if (after.verifiedAt !== null) context.record(after.fromDomain);
    updates.push({ userId: current.userId, by: input.user, before: current, after });
    return { value: after };
  });
  if (updates.length === 0) return outcomes;
  if (isHeard) {
    await emitAll(
      tx,
      updates.map(({ userId, after }) => redirectEvent(userId, 'updated', () => after)),
    );
  }
  await recordEachRedirect(tx, 'redirect.updated', updates);
  return outcomes;
}
