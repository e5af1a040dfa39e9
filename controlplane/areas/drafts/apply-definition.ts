import { AppError, inPart } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { RecordChange, RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { type RecordedChange, recordVersions, redirectDelta, type StateOf } from '../history/public.js';
import { type CheckedWholeTable, checkWholeTable, replaceWholeTable } from '../paths/public.js';
import {
  lockLoopGraph,
  type Redirect,
  type RedirectChanges,
  type RedirectService,
  redirectState,
} from '../redirects/public.js';
import { mayCloseLoops, type ReplacedRules, type RuleReplacement } from '../rules/public.js';
import { type PreparedDefinition, prepareDefinition, prepareState } from './definition.js';
import { type Draft, draftChanged } from './draft.js';
import { draftRepository } from './draft-repository.js';

/** Maximum value of the column's type. */
const MAX_VERSION = 2 ** 31 - 1;

export interface ApplyDefinitionDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate' | 'keepExamples'>;
  readonly changes: Pick<RedirectChanges, 'change'>;
  readonly rules: RuleReplacement;
  readonly stateOf: StateOf;
}

/** Steps of the caller in the transaction. The transaction may run twice, so they must change only the database. */
export interface ApplySteps {
  /** Entry of the history. */
  readonly cause: Pick<RecordedChange, 'action' | 'summary'>;
  /** Runs first, when the redirect is locked. Throws an error to refuse the change. */
  readonly before?: (tx: Queryable, current: Redirect) => Promise<void>;
  /** Runs last. */
  readonly after?: (tx: Queryable, applied: Redirect) => Promise<void>;
}

/** Result of a trial of a definition. */
export interface TriedDefinition {
  readonly redirect: Redirect;
  /** Undefined if the definition does not change the rules. */
  readonly rules: ReplacedRules | undefined;
  /** Undefined if the definition does not change the paths. */
  readonly paths: CheckedWholeTable | undefined;
}

/** Thrown to roll back a transaction that needs the lock of the graph and does not have it. */
class NeedsGraph extends Error {}

/** Thrown to roll back a trial. */
class Tried extends Error {
  constructor(readonly result: TriedDefinition) {
    super('a trial changes nothing');
  }
}

type GraphLock = 'held' | 'missing' | 'not-needed';

export type DefinitionApplier = ReturnType<typeof createDefinitionApplier>;

/**
 * Applies definitions of redirects. Each function makes all checks of the single requests and throws their errors, with the
 * path of the field: `redirect.toDomain`, `rules.3.action.url`, `paths.entries.7.source`.
 */
export function createDefinitionApplier(deps: ApplyDefinitionDeps) {
  const { database, outbox, redirects, changes, rules, stateOf } = deps;

  /** Writes settings and rules. Loops are searched when both are written, because each depends on the other. */
  async function write(
    tx: Queryable,
    record: RecordChange,
    user: CurrentUser,
    id: string,
    definition: PreparedDefinition,
    graph: GraphLock,
  ) {
    const { settingsOf, rules: given, mayReturn } = definition;
    const replaced = given && (await inPart('rules', () => rules.write(tx, user, id, given, mayReturn)));
    if (graph === 'missing' && replaced !== undefined && mayCloseLoops(replaced)) throw new NeedsGraph();
    const change = { user, id, settingsOf, mayMove: graph !== 'missing', isRecorded: true };
    const redirect = await inPart('redirect', () => changes.change(tx, record, change));
    if (typeof redirect === 'string') throw new NeedsGraph();
    if (replaced !== undefined) {
      await inPart('rules', () => rules.finish(tx, record, redirect, replaced));
    }
    return { redirect, replaced };
  }

  async function commit(
    user: CurrentUser,
    id: string,
    definition: PreparedDefinition,
    { cause, before, after }: ApplySteps,
    graph: 'held' | 'missing',
  ): Promise<Redirect> {
    return outbox.commit(async (tx, record) => {
      if (graph === 'held') await lockLoopGraph(tx);
      const current = await redirects.requireOwnedForUpdate(tx, id, user.id);
      await before?.(tx, current);
      await redirects.keepExamples(tx, user, current, async () => {
        const { redirect, replaced } = await write(tx, record, user, id, definition, graph);
        const { paths } = definition;
        const change = { tx, record, redirect, cause: undefined };
        const table = paths && (await inPart('paths', () => replaceWholeTable(change, user, paths)));
        const settings = redirectDelta(redirectState(current), redirectState(redirect));
        const delta = { ...settings, ...replaced?.delta, ...table?.delta };
        const version = { redirectId: id, name: redirect.fromDomain, version: redirect.version, delta };
        await recordVersions(tx, { ...cause, userId: user.id, by: user }, [version]);
      });
      const applied = await redirects.requireOwnedForUpdate(tx, id, user.id);
      await after?.(tx, applied);
      return applied;
    });
  }

  /** Applies a definition in one transaction: visitors get the old state or the new one. */
  async function apply(user: CurrentUser, id: string, definition: PreparedDefinition, steps: ApplySteps) {
    try {
      // Most definitions keep the destination hosts. They must not block changes of all other redirects.
      return await commit(user, id, definition, steps, 'missing');
    } catch (error) {
      if (!(error instanceof NeedsGraph)) throw error;
      return commit(user, id, definition, steps, 'held');
    }
  }

  return {
    /** Applies a definition and rolls it back. Paths are checked but not written. */
    async try(
      user: CurrentUser,
      redirectId: string,
      definition: PreparedDefinition,
    ): Promise<TriedDefinition> {
      try {
        return await database.transaction<never>(async (tx) => {
          await redirects.requireOwnedForUpdate(tx, redirectId, user.id);
          const written = await write(tx, () => undefined, user, redirectId, definition, 'not-needed');
          const { redirect, replaced } = written;
          const { paths } = definition;
          const checked = paths && (await inPart('paths', () => checkWholeTable(tx, user, redirect, paths)));
          throw new Tried({ redirect, rules: replaced, paths: checked });
        });
      } catch (error) {
        if (error instanceof Tried) return error.result;
        throw error;
      }
    },

    /**
     * Publishes a draft in one transaction, which also deletes it. It is therefore published only once, even if several
     * processes try.
     *
     * @param accepts throws if the draft must not replace the current redirect
     * @throws {AppError} PRECONDITION_FAILED if the draft is not the one that was read
     */
    async publish(user: CurrentUser, draft: Draft, accepts: (current: Redirect) => void): Promise<Redirect> {
      const { redirectId } = draft;
      return apply(user, redirectId, await prepareDefinition(draft.definition, rules), {
        cause: { action: 'draft.published', summary: summaryOf(draft) },
        async before(tx, current) {
          const stored = await draftRepository.lock(tx, redirectId);
          if (stored?.version !== draft.version) throw draftChanged();
          accepts(current);
        },
        after: (tx) => draftRepository.delete(tx, redirectId),
      });
    },

    /**
     * Makes the state of an earlier version the current one, as a new version. Deleted rules and entries get their ids
     * and hits back.
     *
     * @param precondition applies to the version of the redirect
     * @throws {AppError} NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED
     */
    async rollBack(
      user: CurrentUser,
      redirectId: string,
      version: number,
      precondition: Precondition | undefined,
    ): Promise<Redirect> {
      await redirects.requireOwned(redirectId, user.id);
      const state = version > MAX_VERSION ? undefined : await stateOf(database, redirectId, version);
      if (state === undefined) {
        throw new AppError('NOT_FOUND', {
          message: `Version ${version} of this redirect does not exist, or is no longer kept. GET /redirects/{id}/versions lists those that are.`,
        });
      }
      return apply(user, redirectId, await prepareState(state, rules), {
        cause: { action: 'redirect.rolled_back', summary: `Rolled back to version ${version}` },
        before: async (_tx, current) => requirePrecondition(precondition, current.version),
      });
    },
  };
}

function summaryOf({ definition: { redirect, rules, paths }, publishAt }: Draft): string {
  const parts = [redirect && 'settings', rules && 'rules', paths && 'paths'].filter(Boolean);
  const what = parts.length === 0 ? 'no change' : parts.join(', ');
  return `Published the draft${publishAt === null ? '' : ' as scheduled'}: ${what}`;
}
