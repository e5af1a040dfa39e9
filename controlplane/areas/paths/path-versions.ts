import { DEFAULT_PATH_OPTIONS, type PathOptions } from '../../../shared/paths/path-entry.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { Actor } from '../history/public.js';
import { type RedirectService, recordAside } from '../redirects/public.js';
import { requireEntryRoom } from './entry-limit.js';
import { pathRepository } from './path-repository.js';
import type { EntrySettings, GivenTable, ReturningEntry } from './path-table.js';
import { lockTable } from './table-lock.js';
import { replaceTable, type TableReplaced } from './table-replacement.js';
import {
  type Differences,
  type EntryDifference,
  type StoredVersion,
  type VersionKind,
  versionRepository,
} from './version-repository.js';
import { checkWholeTable } from './whole-tables.js';

export interface PathVersionsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate' | 'keepExamples'>;
}

interface Page {
  /** Rows to skip. */
  readonly after: number;
  readonly limit: number;
}

export interface StagedPage extends StoredVersion {
  readonly entries: readonly EntrySettings[];
}

export interface TableDifference {
  /** Version of the live table. */
  readonly version: number;
  readonly counts: Differences;
  readonly differences: readonly EntryDifference[];
  readonly options: { readonly live: PathOptions; readonly staged: PathOptions };
}

/**
 * Tables in addition to the live one: a staged table waits for its publication, and the table before the last
 * replacement can be restored. Each function throws `AppError` NOT_FOUND for an unknown resource and FORBIDDEN for
 * redirects of other users.
 */
export interface PathVersions {
  /** Replaces the staged table. The live one stays. @throws {AppError} as `PathService.replace` */
  stage(user: CurrentUser, redirectId: string, table: GivenTable, collapse?: boolean): Promise<TableReplaced>;
  staged(userId: string, redirectId: string, page: Page): Promise<StagedPage>;
  discard(user: Actor, redirectId: string): Promise<void>;
  /** Compares the staged table with the live one. */
  diff(userId: string, redirectId: string, page: Page): Promise<TableDifference>;
  /** Makes the staged table the live one. @throws {AppError} as `PathService.replace` */
  publish(user: CurrentUser, redirectId: string, options?: ReplaceOptions): Promise<TableReplaced>;
  /** Exchanges the live table and the previous one. @throws {AppError} as `PathService.replace` */
  restore(user: CurrentUser, redirectId: string, options?: ReplaceOptions): Promise<TableReplaced>;
}

interface ReplaceOptions {
  /** Precondition on the version of the live table. */
  readonly precondition?: Precondition | undefined;
  /** Whether chains of the staged table are collapsed. */
  readonly collapse?: boolean | undefined;
  /** Stores the answer in the same transaction. */
  readonly keep?: KeepAnswer<TableReplaced> | undefined;
}

export function createPathVersions({ database, outbox, redirects }: PathVersionsDeps): PathVersions {
  /** Replaces the live table with the staged or the previous one, and deletes that one. */
  async function replaceBy(
    kind: VersionKind,
    user: CurrentUser,
    redirectId: string,
    { precondition, keep, collapse = false }: ReplaceOptions = {},
  ): Promise<TableReplaced> {
    await redirects.requireOwned(redirectId, user.id);
    return outbox.commit(async (tx, record) => {
      const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
      requirePrecondition(precondition, table.version);
      const { options, entries } = await readVersion(tx, redirectId, kind);
      requireEntryRoom(user.plan, 0, entries.length);
      await versionRepository.remove(tx, redirectId, kind);
      const action = kind === 'staged' ? 'paths.published' : 'paths.restored';
      const cause = { by: user, action } as const;
      const change = { tx, record, redirect, table, cause };
      const replaced = await redirects.keepExamples(tx, user, redirect, () =>
        replaceTable(change, options, entries, collapse),
      );
      await keep?.(tx, replaced);
      return replaced;
    });
  }

  return {
    async stage(user, redirectId, { options, entries }, collapse = false) {
      await redirects.requireOwned(redirectId, user.id);
      requireEntryRoom(user.plan, 0, entries.length);
      return database.transaction(async (tx) => {
        const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
        const checked = await checkWholeTable(tx, user, redirect, { options, entries }, collapse);
        const { diagnostics } = checked;
        await versionRepository.stage(tx, redirectId, checked.options, checked.entries);
        await recordAside(tx, redirect, user, 'paths.staged', `Staged a table of ${entries.length} paths`);
        return { total: entries.length, diagnostics, version: table.version, collapsedIds: [] };
      });
    },

    async staged(userId, redirectId, { after, limit }) {
      await redirects.requireOwned(redirectId, userId);
      const version = await requireVersion(database, redirectId, 'staged');
      return { ...version, entries: await versionRepository.stagedPage(database, redirectId, after, limit) };
    },

    async discard(user, redirectId) {
      const redirect = await redirects.requireOwned(redirectId, user.id);
      await database.transaction(async (tx) => {
        if (!(await versionRepository.remove(tx, redirectId, 'staged'))) throw noVersion('staged');
        await recordAside(tx, redirect, user, 'paths.discarded', 'Discarded the staged table');
      });
    },

    async diff(userId, redirectId, { after, limit }) {
      await redirects.requireOwned(redirectId, userId);
      const { options: staged } = await requireVersion(database, redirectId, 'staged');
      // Read the version first. A later change makes it outdated, so these differences cannot be published by mistake.
      const table = await pathRepository.findTable(database, redirectId);
      return {
        version: table?.version ?? 0,
        counts: await versionRepository.countDifferences(database, redirectId),
        differences: await versionRepository.differences(database, redirectId, after, limit),
        options: { live: table?.options ?? DEFAULT_PATH_OPTIONS, staged },
      };
    },

    publish: (user, redirectId, options) => replaceBy('staged', user, redirectId, options),
    restore: (user, redirectId, options) => replaceBy('previous', user, redirectId, options),
  };
}

/** Reads a consistent staged table. @throws {AppError} NOT_FOUND */
export async function readStaged(database: Database, redirectId: string): Promise<WholeVersion> {
  const version = await readVersion(database, redirectId, 'staged');
  // Entries are read in parts, and another table can replace this one during the read.
  const found = await versionRepository.find(database, redirectId, 'staged');
  if (found?.createdAt.getTime() === version.createdAt.getTime()) return version;
  // A transaction sees one table, but it occupies the only connection of the embedded database.
  return database.transaction((tx) => readVersion(tx, redirectId, 'staged'), {
    isolation: 'repeatable read',
  });
}

interface WholeVersion extends StoredVersion {
  readonly entries: readonly ReturningEntry[];
}

/** Reads a table that must not be replaced during the read. @throws {AppError} NOT_FOUND */
async function readVersion(source: Queryable, redirectId: string, kind: VersionKind): Promise<WholeVersion> {
  const version = await requireVersion(source, redirectId, kind);
  return { ...version, entries: await versionRepository.entriesOf(source, redirectId, kind) };
}

async function requireVersion(
  source: Queryable,
  redirectId: string,
  kind: VersionKind,
): Promise<StoredVersion> {
  const version = await versionRepository.find(source, redirectId, kind);
  if (version === undefined) throw noVersion(kind);
  return version;
}

function noVersion(kind: VersionKind): AppError {
  const message =
    kind === 'staged'
      ? 'There is no staged table. Upload one with PUT /redirects/{id}/paths/staged.'
      : 'There is no previous table: the table was not replaced yet.';
  return new AppError('NOT_FOUND', { message });
}
