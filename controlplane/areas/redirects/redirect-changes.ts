import { codeOf } from '../../../shared/process/error-facts.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { isLocalName } from '../domains/public.js';
import type { Actor } from '../history/public.js';
import { emitAll } from '../webhooks/public.js';
import { FIRST_CHECK_AFTER_SECONDS, insertEach } from './create-many.js';
import { deletedRedirects } from './deleted-redirects.js';
import { type ExampleGuard, NO_EXAMPLES } from './example-guard.js';
import { hasFallback, requireNoLoopByFallback } from './loops/fallback-loops.js';
import { findLoopOfRedirect, requireNoLoopByDestination } from './loops/rule-loops.js';
import type { WantedRedirect } from './new-redirect.js';
import type { Redirect, StoredSettings } from './redirect.js';
import { redirectEvent } from './redirect-announcements.js';
import { type Claim, type Obstacles, redirectBatches } from './redirect-batches.js';
import { recordRedirects } from './redirect-history.js';
import { requireOwner } from './redirect-owner.js';
import {
  domainExists,
  domainTaken,
  externalIdExists,
  redirectLoop,
  requireRoomInPlan,
  UNIQUE_VIOLATION,
} from './redirect-refusals.js';
import { redirectRepository } from './redirect-repository.js';

/**
 * Reason why a change needs another kind of transaction. `needs the graph`: it may change destination hosts, so the
 * transaction must hold the lock of the graph. `has examples`: other changes must not wait for the check of its
 * examples.
 */
export type NotShared = 'needs the graph' | 'has examples';

/** Computes new settings from the current ones. Throws `AppError` for invalid settings. */
export type ChangeSettings = (current: Redirect) => StoredSettings;

/**
 * Changes of redirects inside a transaction. It may contain any number of changes. `record` records the hosts to
 * publish to data planes. Callers take `lockLoopGraph` before any other lock of the transaction, except for `change`
 * without `mayMove`. These functions also lock the row of the user, which counts the redirects. Each throws `AppError`
 * when it refuses; the caller must then roll back the writes.
 */
export interface RedirectChanges {
  create(tx: Queryable, record: RecordChange, user: CurrentUser, wanted: WantedRedirect): Promise<Redirect>;
  /** Changes the settings. If this kind of transaction is not enough, changes nothing and returns the reason. */
  change(tx: Queryable, record: RecordChange, change: SettingsChange): Promise<Redirect | NotShared>;
  delete(tx: Queryable, record: RecordChange, target: Target): Promise<Redirect>;
  /** Restores a deleted redirect. A live one is returned unchanged. */
  restore(tx: Queryable, record: RecordChange, user: CurrentUser, id: string): Promise<Redirect>;
}

export interface Target {
  /** Owner, who makes the change. */
  readonly user: Actor;
  readonly id: string;
  readonly precondition?: Precondition | undefined;
}

export interface SettingsChange extends Target {
  readonly settingsOf: ChangeSettings;
  /** Whether the transaction holds the lock of the graph. */
  readonly mayMove: boolean;
  /** Whether other changes wait for the transaction. It must not check examples then. Default: no. */
  readonly isShared?: boolean;
  /**
   * Whether the caller records the version and checks the examples, because it changes more than settings. Default:
   * no.
   */
  readonly isRecorded?: boolean;
}

/** Returns whether settings have other destination hosts than the former ones. */
export function isMoved(current: Redirect, settings: StoredSettings): boolean {
  return settings.toHost !== current.toHost || settings.afterEndHost !== current.afterEndHost;
}

/** Returns whether visitors now get the fallback of the owner, if there is one. */
export function isDisabled(current: Redirect, settings: StoredSettings): boolean {
  return current.verifiedAt !== null && current.enabled && !settings.enabled;
}

/**
 * @param isLocal returns whether a domain is verified without a proof
 * @param examples default: no examples
 */
export function createRedirectChanges(
  isLocal: (domain: string) => boolean = isLocalName,
  examples: ExampleGuard = NO_EXAMPLES,
): RedirectChanges {
  async function requireNoLoop(tx: Queryable, claim: Claim): Promise<void> {
    const loop = await redirectRepository.findLoop(tx, claim);
    if (loop !== undefined) throw redirectLoop(loop, claim);
  }

  async function findObstacles(tx: Queryable, claim: Claim): Promise<Obstacles> {
    const [obstacles] = await redirectBatches.findObstacles(tx, [claim]);
    if (obstacles === undefined) throw new Error('a statement that returns one row returned none');
    return obstacles;
  }

  async function requireFree(tx: Queryable, claim: Claim): Promise<Obstacles> {
    const obstacles = await findObstacles(tx, claim);
    const { fromDomain, externalId } = claim;
    if (obstacles.isOwn) throw domainExists(fromDomain);
    if (obstacles.isTaken) throw domainTaken(fromDomain, 'fromDomain');
    if (obstacles.hasExternalId) throw externalIdExists(externalId);
    if (obstacles.leadsOn) await requireNoLoop(tx, claim);
    return obstacles;
  }

  async function lockTarget(tx: Queryable, { id, user, precondition }: Target): Promise<Redirect> {
    const redirect = requireOwner(await redirectRepository.findByIdForUpdate(tx, id), user.id);
    requirePrecondition(precondition, redirect.version);
    return redirect;
  }

  /** Concurrent changes can pass the check and give two redirects one external id. */
  async function write(tx: Queryable, id: string, settings: StoredSettings): Promise<Redirect> {
    try {
      return await redirectRepository.update(tx, id, settings);
    } catch (error) {
      if (codeOf(error) === UNIQUE_VIOLATION) throw externalIdExists(settings.externalId);
      throw error;
    }
  }

  return {
    async create(tx, record, user, wanted) {
      const { leadsOn, ownCount, now } = await requireFree(tx, { ...wanted, userId: user.id });
      requireRoomInPlan(user, ownCount);
      const before = { ownCounts: new Map([[user.id, ownCount]]), now, isHeard: true };
      const [made] = await insertEach(tx, [{ user, wanted, record }], before, isLocal);
      if (made === undefined) throw new Error('one creation makes one redirect');
      const redirect = made();
      if (redirect.verifiedAt !== null && !redirect.enabled) await requireNoLoopByFallback(tx, redirect);
      if (leadsOn) await requireNoLoopByDestination(tx, redirect);
      return redirect;
    },

    async change(tx, record, { settingsOf, mayMove, isShared = false, isRecorded = false, ...target }) {
      const current = await lockTarget(tx, target);
      if (isShared && current.exampleCount > 0) return 'has examples';
      const settings = settingsOf(current);
      const moves = isMoved(current, settings);
      const fallsBack =
        isDisabled(current, settings) && (await hasFallback(tx, [current.userId])).has(current.userId);
      if ((moves || fallsBack) && !mayMove) return 'needs the graph';
      if (fallsBack) await requireNoLoopByFallback(tx, current);
      const claim = { ...settings, fromDomain: current.fromDomain, userId: current.userId };
      const isNamed = settings.externalId !== current.externalId;
      const obstacles = moves || isNamed ? await findObstacles(tx, claim) : undefined;
      if (isNamed && obstacles?.hasExternalId) throw externalIdExists(settings.externalId);
      const leadsOn = moves && obstacles?.leadsOn === true;
      if (leadsOn) await requireNoLoop(tx, claim);
      if (!isRecorded) await examples.requireKept(tx, target.user, current, { ...current, ...settings });
      const updated = await write(tx, current.id, settings);
      if (leadsOn) await requireNoLoopByDestination(tx, updated);
      if (updated.verifiedAt !== null) record(updated.fromDomain);
      await emitAll(tx, [redirectEvent(updated.userId, 'updated', () => updated)]);
      if (isRecorded) return updated;
      const change = { before: current, after: updated };
      await recordRedirects(tx, current.userId, target.user, 'redirect.updated', [change]);
      return updated;
    },

    async delete(tx, record, target) {
      const redirect = await lockTarget(tx, target);
      await deletedRedirects.delete(tx, [redirect.id]);
      if (redirect.verifiedAt !== null) await recordWhole(tx, record, redirect);
      await emitAll(tx, [redirectEvent(redirect.userId, 'deleted', () => redirect)]);
      const after = { ...redirect, version: redirect.version + 1 };
      await recordRedirects(tx, redirect.userId, target.user, 'redirect.deleted', [
        { before: redirect, after },
      ]);
      return redirect;
    },

    async restore(tx, record, user, id) {
      const live = await redirectRepository.findById(tx, id);
      if (live !== undefined) return requireOwner(live, user.id);
      const deleted = requireOwner(await deletedRedirects.findForUpdate(tx, id), user.id);
      const { ownCount } = await requireFree(tx, deleted);
      requireRoomInPlan(user, ownCount);
      const redirect = requireOwner(
        await deletedRedirects.restore(tx, id, FIRST_CHECK_AFTER_SECONDS),
        user.id,
      );
      await emitAll(tx, [redirectEvent(redirect.userId, 'created', () => redirect)]);
      // A deleted redirect is not verified, although its row keeps the time of verification.
      const before = { ...deleted, verifiedAt: null };
      await recordRedirects(tx, user.id, user, 'redirect.restored', [{ before, after: redirect }]);
      if (redirect.verifiedAt === null) return redirect;
      if (!redirect.enabled) await requireNoLoopByFallback(tx, redirect);
      const loop = await findLoopOfRedirect(tx, redirect);
      if (loop !== undefined) throw redirectLoop(loop, redirect);
      await recordWhole(tx, record, redirect);
      return redirect;
    },
  };

  /** Records the host and the pages of its table of paths, which are published with it. */
  async function recordWhole(tx: Queryable, record: RecordChange, redirect: Redirect): Promise<void> {
    record(redirect.fromDomain);
    for (const key of await redirectRepository.pathPagesOf(tx, redirect.id)) record(key);
  }
}
