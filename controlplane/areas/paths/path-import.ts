import { inTurns } from '../../../shared/async/in-turns.js';
import { ENTRIES_PER_STEP } from '../../../shared/paths/publish-table.js';
import { AppError, type ErrorBody, errorBody } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import { readEntry } from './path-file.js';
import { createPathMerge, type PathMerge, type RefusedEntry } from './path-merge.js';
import { pathRepository } from './path-repository.js';
import { lockTable } from './table-lock.js';
import { writeTable } from './table-replacement.js';

/** Outcome of an imported entry. */
export interface MergedEntry {
  readonly status: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly error?: ErrorBody['error'];
  /** Remark about an entry that was applied. */
  readonly message?: string;
}

/**
 * Merges entries into a table in one transaction. An entry that matches the same requests as an earlier one replaces
 * it, and keeps its id and hits. All other entries stay. A refused entry does not prevent the others from being merged.
 *
 * @param values entries as requests have them
 * @param collapse whether imported entries redirect directly to the end of their chain
 * @throws {AppError} NOT_FOUND, FORBIDDEN, EXAMPLES_BROKEN
 */
export type MergePaths = (
  tx: Queryable,
  record: RecordChange,
  user: CurrentUser,
  merge: {
    readonly redirectId: string;
    readonly values: readonly unknown[];
    readonly collapse?: boolean;
  },
) => Promise<readonly MergedEntry[]>;

export interface PathImportDeps {
  readonly redirects: Pick<RedirectService, 'requireOwnedForUpdate' | 'keepExamples'>;
}

/**
 * Maximum number of searches for loops. When an entry is refused, the replaced entry returns and can close another
 * loop. Each search can therefore refuse further entries. After the last search the import fails as a whole.
 */
const MAX_LOOP_ROUNDS = 20;

export function createMergePaths({ redirects }: PathImportDeps): MergePaths {
  async function refusedBy(tx: Queryable, merge: PathMerge): Promise<RefusedEntry[]> {
    const refused = await inTurns(merge.dropCostly());
    for (let round = 0; round < MAX_LOOP_ROUNDS; round += 1) {
      const loops = await merge.dropLoops(tx);
      if (loops.length === 0) break;
      refused.push(...loops);
    }
    return refused;
  }

  return async (tx, record, user, { redirectId, values, collapse = false }) => {
    const { redirect, table } = await lockTable(tx, redirects, user.id, redirectId);
    const stored = await pathRepository.allEntries(tx, redirectId);
    const ids = await pathRepository.newIds(tx, values.length);
    const merge = await inTurns(createPathMerge(redirect, table.options, stored));
    const results = await inTurns(addAll(merge, values, ids, user));
    for (const { index, error } of await refusedBy(tx, merge)) results[index] = failed(error);
    if (results.some(({ status }) => status === 'created' || status === 'updated')) {
      const entries = merge.entries();
      const cause = { by: user, action: 'paths.imported' } as const;
      const change = { tx, record, redirect, table, cause };
      const imported = merge.importedIds();
      try {
        const may = collapse ? new Set(imported.keys()) : false;
        const former = { earlier: stored, collapse: may };
        const { collapsedIds } = await redirects.keepExamples(tx, user, redirect, () =>
          writeTable(change, table.options, entries, former),
        );
        for (const id of collapsedIds) noteCollapsed(results, imported.get(id));
      } catch (error) {
        throw namingSource(error, entries);
      }
    }
    return results;
  };
}

/** Adds all values in steps that usually take less than a millisecond. */
export function* addAll(
  merge: PathMerge,
  values: readonly unknown[],
  ids: readonly number[],
  { plan }: Pick<CurrentUser, 'plan'>,
): Generator<undefined, MergedEntry[]> {
  const results: MergedEntry[] = [];
  for (const [index, value] of values.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    try {
      results.push({ status: merge.add(readEntry(value), index, ids[index] ?? 0, plan) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results.push(failed(error));
    }
  }
  return results;
}

/**
 * Replaces the index of an entry in an error by the entry's source. The index is that of the merged table, not of a row
 * of the file.
 */
function namingSource(error: unknown, entries: readonly { readonly source: string }[]): unknown {
  const index = error instanceof AppError ? /^entries\.(\d+)\./.exec(error.field ?? '')?.[1] : undefined;
  if (!(error instanceof AppError) || index === undefined) return error;
  const { source = '' } = entries[Number(index)] ?? {};
  return new AppError(error.code, { message: `The entry ${source} of the table: ${error.message}` });
}

function noteCollapsed(results: MergedEntry[], index: number | undefined): void {
  const one = index === undefined ? undefined : results[index];
  if (index === undefined || one === undefined) return;
  results[index] = { ...one, message: 'The row leads to another entry. It got the last destination.' };
}

function failed(error: AppError): MergedEntry {
  return { status: 'failed', error: errorBody(error).error };
}
