import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { requirePrecondition } from '../../http/entity-tags.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { GatheredMutation } from '../../publishing/ruleset-outbox.js';
import type { GatheredInput, GatheredOutcome } from '../../storage/postgres/batched-transactions.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emitAll } from '../webhooks/public.js';
import { changeBatches } from './change-batches.js';
import type { CreateMany } from './create-many.js';
import { hasFallback } from './loops/fallback-loops.js';
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
import { recordEachUpdate } from './redirect-history.js';
import { requireOwner } from './redirect-owner.js';
import type { RedirectRepository } from './redirect-repository.js';

/** A request of a user for a new redirect. */
export interface CreationRequest {
  readonly user: CurrentUser;
  readonly wanted: WantedRedirect;
  /** Stores the answer in the transaction. */
  readonly keep: KeepAnswer<Redirect> | undefined;
}

/** A request of an owner for other settings. */
export type ChangeRequest = Pick<SettingsChange, 'user' | 'id' | 'settingsOf' | 'precondition'>;

/** Result of a change, or the reason why it needs another kind of transaction. In that case nothing is changed. */
export type Changed = Redirect | NotShared;

export interface GatheredMutationsDeps {
  readonly changes: RedirectChanges;
  readonly createMany: CreateMany;
  readonly repository: Pick<RedirectRepository, 'lockGraph'>;
}

/** The mutations of single redirects that share statements with others of their kind. */
export interface GatheredMutations {
  readonly creation: GatheredMutation<CreationRequest, Redirect>;
  /** Changes that do not lead to other hosts. */
  readonly change: GatheredMutation<ChangeRequest, Changed>;
  /** Any change, with the lock of the graph. */
  readonly move: GatheredMutation<ChangeRequest, Changed>;
}

export function createGatheredMutations(deps: GatheredMutationsDeps): GatheredMutations {
  const { changes, createMany, repository } = deps;
  const changeOf = (mayMove: boolean): GatheredMutation<ChangeRequest, Changed> => ({
    locksOf: ({ id }) => ({ first: mayMove ? repository.lockGraph : undefined, rows: [id] }),
    together: (tx, inputs) => changeTogether(tx, inputs, mayMove),
    alone: (tx, request, { record }) => changes.change(tx, record, { ...request, mayMove, isShared: true }),
  });

  return {
    creation: {
      locksOf: () => ({ first: repository.lockGraph }),
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

function isMade(made: Redirect | AppError | 'alone'): made is Redirect {
  return made !== 'alone' && !(made instanceof AppError);
}

type Inputs = readonly GatheredInput<ChangeRequest, { readonly record: (host: string) => void }>[];

/** A change that has passed the checks which need no other redirect. */
interface CheckedChange {
  readonly current: Redirect;
  readonly settings: StoredSettings;
}

/**
 * Applies changes together. Returns `alone` for those that set another external id, may close a loop, or are not the
 * first of a redirect.
 */
async function changeTogether(
  tx: Queryable,
  inputs: Inputs,
  mayMove: boolean,
): Promise<GatheredOutcome<Changed>[]> {
  const redirects = await changeBatches.lockById(tx, [...new Set(inputs.map(({ input }) => input.id))]);
  const byId = new Map(redirects.map((redirect) => [redirect.id, redirect]));
  const seen = new Set<string>();
  const checked = inputs.map(({ input }): CheckedChange | GatheredOutcome<Changed> => {
    if (seen.has(input.id)) return 'alone';
    seen.add(input.id);
    return check(byId.get(input.id), input, mayMove);
  });
  const fallBack = await findThoseFallingBack(tx, checked.filter(isChecked));
  const moved = checked.filter(isChecked).filter(({ current, settings }) => isMoved(current, settings));
  const leadOn = await findThoseLeadingOn(tx, moved);
  const certain = checked.map((one): CheckedChange | GatheredOutcome<Changed> => {
    if (!isChecked(one)) return one;
    if (fallBack.has(one.current.id)) return mayMove ? 'alone' : { value: 'needs the graph' };
    return leadOn.has(one.current.id) ? 'alone' : one;
  });
  const written = await write(tx, inputs, certain);
  return certain.map((one) => {
    if (!isChecked(one)) return one;
    const after = written.get(one.current.id);
    return after === undefined ? 'alone' : { value: after };
  });
}

function check(
  found: Redirect | undefined,
  { user, settingsOf, precondition }: ChangeRequest,
  mayMove: boolean,
): CheckedChange | GatheredOutcome<Changed> {
  try {
    const current = requireOwner(found, user.id);
    requirePrecondition(precondition, current.version);
    if (current.exampleCount > 0) return { value: 'has examples' };
    const settings = settingsOf(current);
    if (isMoved(current, settings) && !mayMove) return { value: 'needs the graph' };
    return settings.externalId === current.externalId ? { current, settings } : 'alone';
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function isChecked(one: CheckedChange | GatheredOutcome<Changed>): one is CheckedChange {
  return one !== 'alone' && 'current' in one;
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

/** Returns the ids of the redirects that would lead to a redirect which counts for their user. */
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
  const { obstacles } = await redirectBatches.findObstacles(tx, claims);
  return new Set(moved.flatMap(({ current }, at) => (obstacles[at]?.leadsOn === false ? [] : [current.id])));
}

/** Writes the changes that were checked. Resolves to the redirects after them, by id. */
async function write(
  tx: Queryable,
  inputs: Inputs,
  checked: readonly (CheckedChange | GatheredOutcome<Changed>)[],
): Promise<ReadonlyMap<string, Redirect>> {
  const changes = checked.filter(isChecked);
  if (changes.length === 0) return new Map();
  const updatedAt = await changeBatches.updatePlanned(
    tx,
    new Map(changes.map(({ current, settings }) => [current.id, settings])),
  );
  const updates = checked.flatMap((one, at) => {
    const given = inputs[at];
    if (!isChecked(one) || given === undefined) return [];
    const { current, settings } = one;
    const after: Redirect = { ...current, ...settings, updatedAt, version: current.version + 1 };
    if (after.verifiedAt !== null) given.context.record(after.fromDomain);
    return [{ userId: current.userId, by: given.input.user, before: current, after }];
  });
  await emitAll(
    tx,
    updates.map(({ userId, after }) => redirectEvent(userId, 'updated', () => after)),
  );
  await recordEachUpdate(tx, updates);
  return new Map(updates.map(({ after }) => [after.id, after]));
}
