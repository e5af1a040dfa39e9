import { inTurns } from '../../../shared/async/in-turns.js';
import { checkTableInSteps, TOO_MANY_SHAPES } from '../../../shared/paths/check-table.js';
import { conditionProblem } from '../../../shared/paths/condition-costs.js';
import type { PathDiagnostic } from '../../../shared/paths/diagnostics.js';
import {
  DEFAULT_PATH_OPTIONS,
  MAX_PATH_SHAPES,
  type PathEntry,
  type PathOptions,
} from '../../../shared/paths/path-entry.js';
import { EXACT, hashKey } from '../../../shared/paths/path-key.js';
import { type PreparedEntry, prepareEntry, servesHost } from '../../../shared/paths/publish-table.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import { diagnoseEntry } from './entry-diagnostics.js';
import { requireEntryRoom } from './entry-limit.js';
import { followToOthers } from './other-redirects.js';
import { prepareStored, writeSomePages } from './page-writer.js';
import { recordEntry } from './path-history.js';
import { type EntryPage, type PlacedEntry, pathRepository } from './path-repository.js';
import type { EntrySettings, GivenTable, StoredEntry, StoredTable } from './path-table.js';
import { lockTable } from './table-lock.js';
import { checkedRedirect, otherLoop, refusal, type TableReplaced, writeTable } from './table-replacement.js';
import { requireNoUncoveredLoop } from './uncovered-loops.js';
import { replaceWholeTable } from './whole-tables.js';

export interface PathServiceDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate' | 'keepExamples'>;
}

/** An entry that was written or deleted, and the resulting version of its table. */
export interface ChangedEntry {
  readonly entry: StoredEntry;
  readonly version: number;
}

export interface WrittenEntry extends ChangedEntry {
  /** Diagnostics of the table that the entry causes. */
  readonly diagnostics: readonly PathDiagnostic[];
}

interface CreateOptions {
  readonly precondition?: Precondition | undefined;
  readonly keep?: KeepAnswer<WrittenEntry> | undefined;
}

export interface ChangedOptions {
  readonly options: PathOptions;
  /** Version of the table. */
  readonly version: number;
}

export interface PathList {
  readonly entries: readonly StoredEntry[];
  readonly options: PathOptions;
  /** Version of the table. */
  readonly version: number;
}

export type PathService = ReturnType<typeof createPathService>;

/**
 * Path tables of a user's redirects. Each function throws `AppError` NOT_FOUND for an unknown resource and FORBIDDEN
 * for redirects of other users.
 */
export function createPathService({ database, outbox, redirects }: PathServiceDeps) {
  async function requireEntry(tx: Queryable, redirectId: string, entryId: string): Promise<StoredEntry> {
    const id = /^[1-9]\d{0,15}$/.test(entryId) ? Number(entryId) : undefined;
    const entry = Number.isSafeInteger(id)
      ? await pathRepository.findEntry(tx, redirectId, id ?? 0)
      : undefined;
    if (entry === undefined) throw new AppError('NOT_FOUND', { message: 'There is no entry with this id.' });
    return entry;
  }

  /**
   * Refuses an entry that conflicts with other entries of its table. Also follows its chains through other redirects.
   */
  async function place(
    tx: Queryable,
    redirect: Redirect,
    { options, salt }: StoredTable,
    entry: EntrySettings & { readonly id: number },
  ): Promise<PlacedEntry & { readonly chains: readonly PathDiagnostic[] }> {
    const prepared = prepareEntry(entry, options, { host: redirect.fromDomain });
    if ('field' in prepared) throw new AppError('VALIDATION_ERROR', prepared);
    const hash = hashKey(prepared.published.key, salt);
    const chains = entry.enabled ? await requireServable(tx, redirect, options, entry, prepared, hash) : [];
    return { ...entry, hash, shape: prepared.shape, chains };
  }

  async function requireServable(
    tx: Queryable,
    redirect: Redirect,
    options: PathOptions,
    entry: EntrySettings & { readonly id: number },
    prepared: PreparedEntry,
    hash: number,
  ): Promise<readonly PathDiagnostic[]> {
    // Only these entries can have the same key, or form a loop with it.
    const others = leadsToOwnHost(redirect, prepared)
      ? await pathRepository.allEnabled(tx, redirect.id)
      : await pathRepository.enabledBetween(tx, redirect.id, hash, hash);
    const entries = [...others.filter(({ id }) => id !== entry.id), entry];
    const checked = await inTurns(checkTableInSteps(entries, options, checkedRedirect(redirect)));
    if ('kind' in checked) throw refusal(checked, checked.field);
    const { chains, loops } = await followToOthers(tx, redirect, [entry], [prepared]);
    const [loop] = loops;
    if (loop !== undefined) throw otherLoop(loop.location, 'destination');
    if (entry.query !== null) await requireCheapConditions(tx, redirect, options, entry);
    requireFewShapes(new Set([...(await pathRepository.shapesOf(tx, redirect.id)), prepared.shape]));
    return chains;
  }

  /** Returns the diagnostics that a written entry causes in its table. */
  async function diagnose(
    tx: Queryable,
    redirect: Redirect,
    table: StoredTable,
    entry: StoredEntry,
    chains: readonly PathDiagnostic[],
  ): Promise<readonly PathDiagnostic[]> {
    if (!entry.enabled) return [];
    return [...(await diagnoseEntry({ tx, redirect, table, entry })), ...chains];
  }

  /** Limits the query conditions of the table, because one request can match several sources. */
  async function requireCheapConditions(
    tx: Queryable,
    redirect: Redirect,
    options: PathOptions,
    entry: PathEntry,
  ): Promise<void> {
    const stored = await pathRepository.enabledWithQuery(tx, redirect.id);
    const others = stored.filter(({ id }) => id !== entry.id);
    const problem = await inTurns(conditionProblem([...others, entry], options, redirect.fromDomain));
    if (problem !== undefined) throw new AppError('VALIDATION_ERROR', { field: 'query', message: problem });
  }

  return {
    /** Returns up to `limit` entries, the oldest first, and the options of the table. */
    async list(userId: string, redirectId: string, page: EntryPage): Promise<PathList> {
      await redirects.requireOwned(redirectId, userId);
      const table = await pathRepository.findTable(database, redirectId);
      const entries = await pathRepository.pageOfEntries(database, redirectId, page);
      return { entries, options: table?.options ?? DEFAULT_PATH_OPTIONS, version: table?.version ?? 0 };
    },

    /**
     * @param options `precondition` applies to the version of the table; `keep` stores the answer in the same
     * transaction
     * @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP naming the field, PLAN_LIMIT_REACHED, PRECONDITION_FAILED
     */
    async create(
      user: CurrentUser,
      redirectId: string,
      settings: EntrySettings,
      { precondition, keep }: CreateOptions = {},
    ): Promise<WrittenEntry> {
      await redirects.requireOwned(redirectId, user.id);
      return outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
        requirePrecondition(precondition, table.version);
        requireEntryRoom(user.plan, table.entryCount, 1);
        const [id = 0] = await pathRepository.newIds(tx, 1);
        const { chains, ...placed } = await place(tx, redirect, table, { ...settings, id });
        const grown = { ...table, entryCount: table.entryCount + 1, version: table.version + 1 };
        await redirects.keepExamples(tx, user, redirect, async () => {
          await pathRepository.saveTable(tx, grown);
          await pathRepository.insertEntries(tx, redirectId, [placed]);
          await writeSomePages({ tx, record, redirect, table: grown }, [placed.hash]);
        });
        const entry = await requireEntry(tx, redirectId, String(id));
        const diagnostics = await diagnose(tx, redirect, table, entry, chains);
        const changed = { entry, version: grown.version, diagnostics };
        await recordEntry(tx, user, redirect, 'path.created', { after: changed.entry });
        await keep?.(tx, changed);
        return changed;
      });
    },

    /** Changes the given members. @throws {AppError} as `create` */
    update: (
      user: CurrentUser,
      redirectId: string,
      entryId: string,
      changes: Partial<EntrySettings>,
      precondition?: Precondition,
    ): Promise<WrittenEntry> =>
      outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
        const entry = await requireEntry(tx, redirectId, entryId);
        requirePrecondition(precondition, table.version);
        const before = hashOf(redirect, table, entry);
        const { chains, ...placed } = await place(tx, redirect, table, {
          ...entry,
          ...changes,
          id: entry.id,
        });
        await requireNoUncoveredLoop({ tx, redirect, table, entry, after: placed });
        const changed = { ...table, version: table.version + 1 };
        await redirects.keepExamples(tx, user, redirect, async () => {
          await pathRepository.updateEntry(tx, redirectId, placed);
          await writeSomePages({ tx, record, redirect, table: changed }, [before, placed.hash]);
        });
        await recordEntry(tx, user, redirect, 'path.updated', { before: entry, after: placed });
        const written = await requireEntry(tx, redirectId, entryId);
        const diagnostics = await diagnose(tx, redirect, table, written, chains);
        return { entry: written, version: changed.version, diagnostics };
      }),

    /** @throws {AppError} REDIRECT_LOOP when another entry would redirect back to itself without this one */
    delete: (
      user: CurrentUser,
      redirectId: string,
      entryId: string,
      precondition?: Precondition,
    ): Promise<ChangedEntry> =>
      outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
        const entry = await requireEntry(tx, redirectId, entryId);
        requirePrecondition(precondition, table.version);
        await requireNoUncoveredLoop({ tx, redirect, table, entry, after: undefined });
        const shrunk = { ...table, entryCount: table.entryCount - 1, version: table.version + 1 };
        await redirects.keepExamples(tx, user, redirect, async () => {
          await pathRepository.deleteEntry(tx, redirectId, entry.id);
          await writeSomePages({ tx, record, redirect, table: shrunk }, [hashOf(redirect, table, entry)]);
        });
        await recordEntry(tx, user, redirect, 'path.deleted', { before: entry });
        return { entry, version: shrunk.version };
      }),

    /**
     * Replaces all entries and the given options. An entry with the source and conditions of an earlier one keeps its
     * id and hits.
     *
     * @param collapse whether entries redirect directly to the end of their chain
     * @throws {AppError} as `create`, with the entry's index in the field
     */
    async replace(
      user: CurrentUser,
      redirectId: string,
      given: GivenTable,
      precondition?: Precondition,
      collapse?: boolean,
    ): Promise<TableReplaced> {
      await redirects.requireOwned(redirectId, user.id);
      requireEntryRoom(user.plan, 0, given.entries.length);
      return outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
        requirePrecondition(precondition, table.version);
        const cause = { by: user, action: 'paths.replaced' } as const;
        const change = { tx, record, redirect, cause };
        return redirects.keepExamples(tx, user, redirect, () =>
          replaceWholeTable(change, user, given, collapse),
        );
      });
    },

    /** Changes the given options. All entries stay. @throws {AppError} as `create`, with the field `options` */
    changeOptions: (
      user: CurrentUser,
      redirectId: string,
      changes: Partial<PathOptions>,
      precondition?: Precondition,
    ): Promise<ChangedOptions> =>
      outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
        requirePrecondition(precondition, table.version);
        const options = { ...table.options, ...changes };
        const entries = await pathRepository.allEntries(tx, redirectId);
        const change = {
          tx,
          record,
          redirect,
          table,
          cause: { by: user, action: 'paths.replaced' },
        } as const;
        const former = { earlier: entries };
        const { version } = await redirects.keepExamples(tx, user, redirect, () =>
          writeTable(change, options, entries, former).catch(blameOptions),
        );
        return { options, version };
      }),
  };
}

/** Reports the field `options`: entries that were valid conflict with the new options. */
function blameOptions(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new AppError(error.code, {
    field: 'options',
    message: `The entries do not allow these options: ${error.message}`,
    cause: error,
  });
}

function requireFewShapes(shapes: ReadonlySet<string>): void {
  if ([...shapes].filter((shape) => shape !== EXACT).length <= MAX_PATH_SHAPES) return;
  throw new AppError('VALIDATION_ERROR', { field: 'source', message: TOO_MANY_SHAPES });
}

function leadsToOwnHost({ fromDomain, toHost }: Redirect, { published }: PreparedEntry): boolean {
  return published.isRelative ? servesHost(fromDomain, toHost) : published.mayLoop;
}

function hashOf({ fromDomain }: Redirect, { options, salt }: StoredTable, entry: StoredEntry): number {
  return hashKey(prepareStored(entry, options, fromDomain).published.key, salt);
}
