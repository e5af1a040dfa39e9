import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Precondition } from '../../http/entity-tags.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { TableStatistics } from '../../storage/postgres/table-statistics.js';
import { createCreateMany } from './create-many.js';
import { type ExampleGuard, NO_EXAMPLES } from './example-guard.js';
import { type ChangeRequest, createGatheredMutations } from './gathered-mutations.js';
import { createListedRedirects, type ListRedirects } from './listed-redirects.js';
import type { ReadPage } from './long-lists.js';
import { lockLoopGraph } from './loops/loop-graph.js';
import { type NewRedirect, readNewRedirect } from './new-redirect.js';
import { proofRepository } from './proof-repository.js';
import type { Redirect } from './redirect.js';
import { type ChangeSettings, createRedirectChanges, type SettingsChange } from './redirect-changes.js';
import { requireOwner } from './redirect-owner.js';
import { requireDomainOrWildcard } from './redirect-refusals.js';
import { redirectRepository } from './redirect-repository.js';
import type { PatchRedirect, UpdateRedirect } from './redirect-schema.js';
import { changedSettings, patchedSettings } from './redirect-settings.js';

/**
 * Redirects in a part of a long list: about 2 MB of rows and JSON. Serializing them blocks the event loop for about
 * 10 ms.
 */
const PAGE_SIZE = 1_000;

export interface RedirectServiceDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  /** Whether a domain is verified without a proof. Default: names under `.localhost` are. */
  readonly isLocal?: (domain: string) => boolean;
  /** Default: no examples. */
  readonly examples?: ExampleGuard;
  /** Notified of new redirects. */
  readonly statistics?: TableStatistics | undefined;
}

/** Creates, reads, changes and deletes redirects, and checks permissions. */
export interface RedirectService {
  create(user: CurrentUser, input: NewRedirect, keep?: KeepAnswer<Redirect>): Promise<Redirect>;
  readonly list: ListRedirects;
  /** Reads a page of a list that is too long for `list`. */
  readonly listPage: ReadPage;
  /**
   * Returns the redirect if it belongs to this user.
   *
   * @throws {AppError} NOT_FOUND, FORBIDDEN
   */
  requireOwned(id: string, userId: string): Promise<Redirect>;
  /**
   * Returns the redirect if it belongs to this user, and locks its row until the transaction ends. Changes of its rules
   * and paths take the same lock.
   *
   * @throws {AppError} NOT_FOUND, FORBIDDEN
   */
  requireOwnedForUpdate(tx: Queryable, id: string, userId: string): Promise<Redirect>;
  /**
   * Applies a change of rules or paths of a locked redirect, unless it breaks examples.
   *
   * @throws {AppError} EXAMPLES_BROKEN
   */
  readonly keepExamples: ExampleGuard['keep'];
  /** Replaces the members of the input. */
  update(
    user: CurrentUser,
    id: string,
    input: UpdateRedirect,
    precondition?: Precondition,
  ): Promise<Redirect>;
  /** Applies a JSON Merge Patch. */
  patch(user: CurrentUser, id: string, patch: PatchRedirect, precondition?: Precondition): Promise<Redirect>;
  /** Deletes the redirect. It can be restored for 30 days. */
  delete(user: CurrentUser, id: string, precondition?: Precondition): Promise<Redirect>;
  restore(user: CurrentUser, id: string): Promise<Redirect>;
}

export function createRedirectService({
  database,
  outbox,
  isLocal,
  examples = NO_EXAMPLES,
  statistics,
}: RedirectServiceDeps): RedirectService {
  const changes = createRedirectChanges(isLocal, examples);
  const createMany = createCreateMany(isLocal);
  const gathered = createGatheredMutations({ changes, createMany });

  /** Changes settings in a separate transaction. */
  async function changeAlone(target: Omit<SettingsChange, 'mayMove'>, mayMove = false): Promise<Redirect> {
    const changed = await outbox.commit(async (tx, record) => {
      if (mayMove) await lockLoopGraph(tx);
      return changes.change(tx, record, { ...target, mayMove });
    });
    return typeof changed === 'string' ? changeAlone(target, true) : changed;
  }

  /** Most changes keep the destination hosts and do not need the lock of the graph. */
  async function change(target: ChangeRequest): Promise<Redirect> {
    const first = await outbox.commitGathered(gathered.change, target);
    const changed = first === 'needs the graph' ? await outbox.commitGathered(gathered.move, target) : first;
    return typeof changed === 'string' ? changeAlone(target) : changed;
  }

  return {
    async create(user, input, keep) {
      const wanted = readNewRedirect(input);
      try {
        const redirect = await outbox.commitGathered(gathered.creation, { user, wanted, keep });
        void statistics?.noteNewRows(1);
        return redirect;
      } catch (error) {
        // The domain may have been sold, so its owner's proof is checked soon.
        if (error instanceof AppError && error.code === 'DOMAIN_TAKEN') {
          await proofRepository.hasten(database, [wanted.fromDomain]);
        }
        throw error;
      }
    },

    list: createListedRedirects({ database }),

    listPage: (userId, after) =>
      redirectRepository.pageOfUser(database, userId, {
        limit: PAGE_SIZE,
        ...(after !== undefined && { after }),
      }),

    requireOwned: async (id, userId) => requireOwner(await redirectRepository.findById(database, id), userId),

    requireOwnedForUpdate: async (tx, id, userId) =>
      requireOwner(await redirectRepository.findByIdForUpdate(tx, id), userId),

    keepExamples: examples.keep,

    update: (user, id, input, precondition) =>
      change({ user, id, settingsOf: settingsAfter(input, changedSettings), precondition }),

    patch: (user, id, patch, precondition) =>
      change({ user, id, settingsOf: settingsAfter(patch, patchedSettings), precondition }),

    delete: (user, id, precondition) =>
      outbox.commitInBatch((tx, record) => changes.delete(tx, record, { user, id, precondition }), {
        first: lockLoopGraph,
        rows: [id],
      }),

    restore: (user, id) =>
      outbox.commitInBatch((tx, record) => changes.restore(tx, record, user, id), {
        first: lockLoopGraph,
        rows: [id],
      }),
  };
}

/** Returns a function for the settings after a request, which checks the members that cannot change. */
export function settingsAfter<Input extends { readonly id?: unknown; readonly fromDomain?: unknown }>(
  input: Input,
  settingsOf: (current: Redirect, input: Input) => ReturnType<ChangeSettings>,
): ChangeSettings {
  return (current) => {
    requireUnchanged(current, input);
    return settingsOf(current, input);
  };
}

/** @throws {AppError} VALIDATION_ERROR naming a member that cannot change */
function requireUnchanged(
  current: Redirect,
  { id, fromDomain }: { readonly id?: unknown; readonly fromDomain?: unknown },
): void {
  if (id !== undefined && id !== current.id) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'id',
      message: 'id must be the id of the path, or be left out.',
    });
  }
  if (typeof fromDomain !== 'string') return;
  if (requireDomainOrWildcard(fromDomain, 'fromDomain') !== current.fromDomain) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'fromDomain',
      message: 'fromDomain cannot change; create a redirect for the other domain instead.',
    });
  }
}
