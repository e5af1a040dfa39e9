import { inPart } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { RecordChange, RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { type RecordedChange, recordVersions, redirectDelta } from '../history/public.js';
import { type CheckedWholeTable, checkWholeTable, replaceWholeTable } from '../paths/public.js';
import {
  lockLoopGraph,
  type Redirect,
  type RedirectChanges,
  type RedirectService,
  redirectState,
} from '../redirects/public.js';
import { mayCloseLoops, type ReplacedRules, type RuleReplacement } from '../rules/public.js';
import type { PreparedDefinition } from './definition.js';

export interface ApplyDefinitionDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly redirects: Pick<RedirectService, 'requireOwnedForUpdate' | 'keepExamples'>;
  readonly changes: Pick<RedirectChanges, 'change'>;
  readonly rules: RuleReplacement;
}

/** Steps of the caller in the transaction. It may run twice, so they must act on the database only. */
export interface ApplySteps {
  /** Entry of the history. */
  readonly cause: Pick<RecordedChange, 'action' | 'summary'>;
  /** Runs first, when the redirect is locked. Throws an error to refuse the change. */
  readonly before?: (tx: Queryable, current: Redirect) => Promise<void>;
  /** Runs last. */
  readonly after?: (tx: Queryable, applied: Redirect) => Promise<void>;
}

/** Result of a definition that was tried. */
export interface TriedDefinition {
  readonly redirect: Redirect;
  /** Undefined if the definition does not change the rules. */
  readonly rules: ReplacedRules | undefined;
  /** Undefined if the definition does not change the paths. */
  readonly paths: CheckedWholeTable | undefined;
}

/**
 * Applies definitions of redirects. Each function makes all checks of the single requests and throws their errors, with the
 * path of the field: `redirect.toDomain`, `rules.3.action.url`, `paths.entries.7.source`.
 */
export interface DefinitionApplier {
  /**
   * Applies a definition in one transaction: visitors get the old state or the new one.
   *
   * @throws {AppError} NOT_FOUND, FORBIDDEN, and the errors of the single requests
   */
  apply(
    user: CurrentUser,
    redirectId: string,
    definition: PreparedDefinition,
    steps: ApplySteps,
  ): Promise<Redirect>;
  /** Does what `apply` does, and rolls it back. Paths are checked but not written. @throws {AppError} as `apply` */
  try(user: CurrentUser, redirectId: string, definition: PreparedDefinition): Promise<TriedDefinition>;
}

/** Rolls back a transaction that changed more than it has locked. */
class NeedsGraph extends Error {}

/** Rolls back a trial. */
class Tried extends Error {
  constructor(readonly result: TriedDefinition) {
    super('a trial changes nothing');
  }
}

type GraphLock = 'held' | 'missing' | 'not-needed';

export function createDefinitionApplier(deps: ApplyDefinitionDeps): DefinitionApplier {
  const { database, outbox, redirects, changes, rules } = deps;

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

  return {
    async apply(user, redirectId, definition, steps) {
      try {
        // Most definitions lead to no other hosts than before. They must not keep all other redirects from changing.
        return await commit(user, redirectId, definition, steps, 'missing');
      } catch (error) {
        if (!(error instanceof NeedsGraph)) throw error;
        return commit(user, redirectId, definition, steps, 'held');
      }
    },

    async try(user, redirectId, definition) {
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
  };
}
