import { inTurns } from '../../../shared/async/in-turns.js';
import { DEFAULT_PATH_OPTIONS, type PathOptions } from '../../../shared/paths/path-entry.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import { requireEntryRoom } from './entry-limit.js';
import { createPageWriter } from './page-writer.js';
import type { PathRepository } from './path-repository.js';
import type { EntrySettings, GivenTable, ReturningEntry } from './path-table.js';
import { createTableLock } from './table-lock.js';
import { checkEntries, createTableReplacement, placeAll, type TableReplaced } from './table-replacement.js';
import {
  type Differences,
  type EntryDifference,
  type StoredVersion,
  type VersionKind,
  versionRepository,
} from './version-repository.js';

export interface PathVersionsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly repository: PathRepository;
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate'>;
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
  readonly counts: Differences;
  readonly differences: readonly EntryDifference[];
  readonly options: { readonly live: PathOptions; readonly staged: PathOptions };
}

/**
 * Tables beside the live one: a staged table waits to be published, and the table before the last replacement can be restored.
 * Each function throws `AppError` NOT_FOUND for what does not exist and FORBIDDEN for the redirects of others.
 */
export interface PathVersions {
  /** Replaces the staged table. The live one stays. @throws {AppError} as `PathService.replace` */
  stage(user: CurrentUser, redirectId: string, table: GivenTable): Promise<TableReplaced>;
  staged(userId: string, redirectId: string, page: Page): Promise<StagedPage>;
  discard(userId: string, redirectId: string): Promise<void>;
  /** Compares the staged table with the live one. */
  diff(userId: string, redirectId: string, page: Page): Promise<TableDifference>;
  /** Makes the staged table the live one. @throws {AppError} as `PathService.replace` */
  publish(user: CurrentUser, redirectId: string, precondition?: Precondition): Promise<TableReplaced>;
  /** Exchanges the live table and the previous one. @throws {AppError} as `PathService.replace` */
  restore(user: CurrentUser, redirectId: string, precondition?: Precondition): Promise<TableReplaced>;
}

export function createPathVersions({
  database,
  outbox,
  repository,
  redirects,
}: PathVersionsDeps): PathVersions {
  const replacement = createTableReplacement(repository, createPageWriter(repository));
  const { lockTable } = createTableLock(repository, redirects);

  /** Replaces the live table by one beside it, which is gone then. */
  async function replaceBy(
    kind: VersionKind,
    user: CurrentUser,
    redirectId: string,
    precondition: Precondition | undefined,
  ): Promise<TableReplaced> {
    await redirects.requireOwned(redirectId, user.id);
    return outbox.commit(async (tx, record) => {
      const { redirect, table } = await lockTable(tx, user.id, redirectId);
      requirePrecondition(precondition, table.version);
      const { options, entries } = await readVersion(tx, redirectId, kind);
      requireEntryRoom(user.plan, 0, entries.length);
      await versionRepository.remove(tx, redirectId, kind);
      return replacement.replace({ tx, record, redirect, table }, options, entries);
    });
  }

  return {
    async stage(user, redirectId, { options, entries }) {
      await redirects.requireOwned(redirectId, user.id);
      requireEntryRoom(user.plan, 0, entries.length);
      return database.transaction(async (tx) => {
        const { redirect, table } = await lockTable(tx, user.id, redirectId);
        const merged = { ...table.options, ...options };
        const numbered = entries.map((entry, index) => ({ ...entry, id: index + 1 }));
        const { diagnostics } = await checkEntries({ tx, redirect }, repository, merged, numbered);
        // Refuses disabled entries that are not valid.
        await inTurns(placeAll(redirect, { ...table, options: merged }, numbered));
        await versionRepository.stage(tx, redirectId, merged, entries);
        return { total: entries.length, diagnostics, version: table.version };
      });
    },

    async staged(userId, redirectId, { after, limit }) {
      await redirects.requireOwned(redirectId, userId);
      const version = await requireVersion(database, redirectId, 'staged');
      return { ...version, entries: await versionRepository.stagedPage(database, redirectId, after, limit) };
    },

    async discard(userId, redirectId) {
      await redirects.requireOwned(redirectId, userId);
      if (!(await versionRepository.remove(database, redirectId, 'staged'))) throw noVersion('staged');
    },

    async diff(userId, redirectId, { after, limit }) {
      await redirects.requireOwned(redirectId, userId);
      const { options: staged } = await requireVersion(database, redirectId, 'staged');
      const table = await repository.findTable(database, redirectId);
      return {
        counts: await versionRepository.countDifferences(database, redirectId),
        differences: await versionRepository.differences(database, redirectId, after, limit),
        options: { live: table?.options ?? DEFAULT_PATH_OPTIONS, staged },
      };
    },

    publish: (user, redirectId, precondition) => replaceBy('staged', user, redirectId, precondition),
    restore: (user, redirectId, precondition) => replaceBy('previous', user, redirectId, precondition),
  };
}

/** @throws {AppError} NOT_FOUND */
export function readStaged(
  source: Queryable,
  redirectId: string,
): Promise<{ readonly options: PathOptions; readonly entries: readonly ReturningEntry[] }> {
  return readVersion(source, redirectId, 'staged');
}

async function readVersion(source: Queryable, redirectId: string, kind: VersionKind) {
  const { options } = await requireVersion(source, redirectId, kind);
  return { options, entries: await versionRepository.entriesOf(source, redirectId, kind) };
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
