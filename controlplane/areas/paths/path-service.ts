import { type CheckedTable, checkTable, type PathDiagnostic } from '../../../shared/paths/check-table.js';
import { DEFAULT_PATH_OPTIONS, MAX_PATH_SHAPES, type PathOptions } from '../../../shared/paths/path-entry.js';
import { EXACT, hashKey } from '../../../shared/paths/path-key.js';
import { type PreparedEntry, prepareEntry, servesHost } from '../../../shared/paths/publish-table.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import { requireEntryRoom } from './entry-limit.js';
import { createPageWriter } from './page-writer.js';
import type { EntryPage, PathRepository, PlacedEntry } from './path-repository.js';
import type { EntrySettings, StoredEntry, StoredTable } from './path-table.js';
import {
  checkedRedirect,
  createTableWriting,
  faultOf,
  type NamedEntry,
  newTable,
  refusal,
} from './table-writing.js';

export interface PathServiceDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly repository: PathRepository;
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate'>;
}

export interface PathList {
  readonly entries: readonly StoredEntry[];
  readonly options: PathOptions;
}

/**
 * Tables of paths of a user's redirects. Each function throws `AppError` NOT_FOUND for what does not exist and FORBIDDEN for
 * the redirects of others.
 */
export interface PathService {
  /** Returns up to `limit` entries, the oldest first, and the options of the table. */
  list(userId: string, redirectId: string, page: EntryPage): Promise<PathList>;
  /** @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP naming the field, PLAN_LIMIT_REACHED */
  create(user: CurrentUser, redirectId: string, settings: EntrySettings): Promise<StoredEntry>;
  /** Changes what is given. @throws {AppError} as `create` */
  update(
    user: CurrentUser,
    redirectId: string,
    entryId: string,
    changes: Partial<EntrySettings>,
  ): Promise<StoredEntry>;
  delete(userId: string, redirectId: string, entryId: string): Promise<StoredEntry>;
  /**
   * Replaces all entries, and the options that are given. Entries with the source and conditions of an earlier one keep its
   * id, and with it their hits.
   *
   * @throws {AppError} as `create`, with the entry's index in the field
   */
  replace(
    user: CurrentUser,
    redirectId: string,
    options: Partial<PathOptions>,
    entries: readonly EntrySettings[],
  ): Promise<{ readonly total: number; readonly diagnostics: readonly PathDiagnostic[] }>;
}

export function createPathService({ database, outbox, repository, redirects }: PathServiceDeps): PathService {
  const pages = createPageWriter(repository);
  const writing = createTableWriting(repository);

  async function lockTable(tx: Queryable, userId: string, redirectId: string) {
    const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, userId);
    const table = (await repository.findTable(tx, redirectId)) ?? newTable(redirectId);
    return { redirect, table };
  }

  async function requireEntry(tx: Queryable, redirectId: string, entryId: string): Promise<StoredEntry> {
    const id = /^[1-9]\d{0,15}$/.test(entryId) ? Number(entryId) : undefined;
    const entry = Number.isSafeInteger(id) ? await repository.findEntry(tx, redirectId, id ?? 0) : undefined;
    if (entry === undefined) throw new AppError('NOT_FOUND', { message: 'There is no entry with this id.' });
    return entry;
  }

  /** Refuses an entry that is not valid beside the others of its table. */
  async function place(
    tx: Queryable,
    redirect: Redirect,
    { options, salt }: StoredTable,
    entry: EntrySettings & { readonly id: number },
  ): Promise<PlacedEntry> {
    const prepared = prepareEntry(entry, options, { host: redirect.fromDomain });
    if ('field' in prepared) throw new AppError('VALIDATION_ERROR', prepared);
    const hash = hashKey(prepared.published.key, salt);
    if (entry.enabled) await requireServable(tx, redirect, options, entry, prepared, hash);
    return { ...entry, hash, shape: prepared.shape };
  }

  async function requireServable(
    tx: Queryable,
    redirect: Redirect,
    options: PathOptions,
    entry: EntrySettings & { readonly id: number },
    prepared: PreparedEntry,
    hash: number,
  ): Promise<void> {
    // Only these can have the key of the entry, or a loop with it.
    const others = leadsToOwnHost(redirect, prepared)
      ? await repository.enabledBetween(tx, redirect.id, 0, 2 ** 32 - 1)
      : await repository.enabledBetween(tx, redirect.id, hash, hash);
    const entries = [...others.filter(({ id }) => id !== entry.id), entry];
    const fault = faultOf(checkTable(entries, options, checkedRedirect(redirect)));
    if (fault !== undefined) throw refusal(fault, fault.field);
    requireFewShapes(new Set([...(await repository.shapesOf(tx, redirect.id)), prepared.shape]));
  }

  return {
    async list(userId, redirectId, page) {
      await redirects.requireOwned(redirectId, userId);
      const table = await repository.findTable(database, redirectId);
      const entries = await repository.pageOfEntries(database, redirectId, page);
      return { entries, options: table?.options ?? DEFAULT_PATH_OPTIONS };
    },

    async create(user, redirectId, settings) {
      await redirects.requireOwned(redirectId, user.id);
      return outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, user.id, redirectId);
        requireEntryRoom(user.plan, table.entryCount, 1);
        const [id = 0] = await repository.newIds(tx, 1);
        const placed = await place(tx, redirect, table, { ...settings, id });
        const grown = { ...table, entryCount: table.entryCount + 1 };
        await repository.saveTable(tx, grown);
        await repository.insertEntries(tx, redirectId, [placed]);
        await pages.writeSome({ tx, record, redirect, table: grown }, [placed.hash]);
        return requireEntry(tx, redirectId, String(id));
      });
    },

    update: (user, redirectId, entryId, changes) =>
      outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, user.id, redirectId);
        const entry = await requireEntry(tx, redirectId, entryId);
        const before = hashOf(redirect, table, entry);
        const placed = await place(tx, redirect, table, { ...entry, ...changes, id: entry.id });
        await repository.updateEntry(tx, redirectId, placed);
        await pages.writeSome({ tx, record, redirect, table }, [before, placed.hash]);
        return requireEntry(tx, redirectId, entryId);
      }),

    delete: (userId, redirectId, entryId) =>
      outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, userId, redirectId);
        const entry = await requireEntry(tx, redirectId, entryId);
        await repository.deleteEntries(tx, redirectId, entry.id);
        const shrunk = { ...table, entryCount: table.entryCount - 1 };
        await pages.writeSome({ tx, record, redirect, table: shrunk }, [hashOf(redirect, table, entry)]);
        return entry;
      }),

    async replace(user, redirectId, options, entries) {
      await redirects.requireOwned(redirectId, user.id);
      requireEntryRoom(user.plan, 0, entries.length);
      return outbox.commit(async (tx, record) => {
        const { redirect, table } = await lockTable(tx, user.id, redirectId);
        const merged: PathOptions = { ...table.options, ...options };
        const named = await keepIds(tx, repository, redirectId, entries);
        const enabled = named.filter((entry) => entry.enabled);
        const checked = checkTable(enabled, merged, checkedRedirect(redirect));
        const indexOf = (entry: NamedEntry | undefined) => (entry === undefined ? -1 : named.indexOf(entry));
        const fault = faultOf(checked);
        if (fault !== undefined) {
          const index = indexOf(enabled[fault.index ?? -1]);
          throw refusal(fault, `entries.${index}.${fault.field ?? 'source'}`);
        }
        const { entries: prepared, diagnostics } = checked as CheckedTable;
        const replaced = { ...table, options: merged, entryCount: named.length };
        await writing.replaceAll({ tx, record, redirect, table: replaced }, named, prepared);
        return { total: named.length, diagnostics };
      });
    },
  };
}

function requireFewShapes(shapes: ReadonlySet<string>): void {
  if ([...shapes].filter((shape) => shape !== EXACT).length <= MAX_PATH_SHAPES) return;
  const message = `A table can have at most ${MAX_PATH_SHAPES} different arrangements of ":name" and "*" in its sources.`;
  throw new AppError('VALIDATION_ERROR', { field: 'source', message });
}

function leadsToOwnHost({ fromDomain, toHost }: Redirect, { published }: PreparedEntry): boolean {
  return published.isRelative ? servesHost(fromDomain, toHost) : published.mayLoop;
}

function hashOf({ fromDomain }: Redirect, { options, salt }: StoredTable, entry: StoredEntry): number {
  const prepared = prepareEntry(entry, options, { host: fromDomain });
  if ('field' in prepared) throw new Error(`the stored entry ${entry.id} is refused: ${prepared.message}`);
  return hashKey(prepared.published.key, salt);
}

/** Gives entries the ids of earlier ones with the same source and conditions, and new ids to others. */
async function keepIds(
  tx: Queryable,
  repository: PathRepository,
  redirectId: string,
  entries: readonly EntrySettings[],
): Promise<NamedEntry[]> {
  const nameOf = ({ source, query }: Pick<EntrySettings, 'source' | 'query'>) =>
    JSON.stringify([source, Object.entries(query ?? {}).sort()]);
  const earlier = new Map<string, StoredEntry>();
  for (const entry of await repository.allEntries(tx, redirectId)) earlier.set(nameOf(entry), entry);
  const kept = entries.map((entry) => {
    const name = nameOf(entry);
    const known = earlier.get(name);
    earlier.delete(name);
    return known;
  });
  const ids = await repository.newIds(tx, kept.filter((known) => known === undefined).length);
  let next = 0;
  return entries.map((entry, index) => {
    const known = kept[index];
    if (known !== undefined) return { ...entry, id: known.id, createdAt: known.createdAt };
    next += 1;
    return { ...entry, id: ids[next - 1] ?? 0 };
  });
}
