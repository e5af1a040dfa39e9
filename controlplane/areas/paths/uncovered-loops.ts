import { inTurns } from '../../../shared/async/in-turns.js';
import { findLoopsInSteps } from '../../../shared/paths/check-table.js';
import type { PathEntry, PathOptions } from '../../../shared/paths/path-entry.js';
import { type PreparedEntry, prepareEntry } from '../../../shared/paths/publish-table.js';
import { packConditions } from '../../../shared/paths/query-conditions.js';
import { AppError } from '../../errors/app-error.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { pathRepository } from './path-repository.js';
import type { StoredEntry, StoredTable } from './path-table.js';
import { checkedRedirect } from './table-replacement.js';

/** An entry that a change prevents from matching some or all of its requests. */
export interface GivenUp {
  readonly tx: Queryable;
  readonly redirect: Redirect;
  readonly table: StoredTable;
  /** State before the change. */
  readonly entry: StoredEntry;
  /** State after the change; undefined when the entry is deleted. */
  readonly after: (PathEntry & { readonly enabled: boolean }) | undefined;
}

/**
 * Refuses to delete, disable or move an entry if its requests would then reach an entry that redirects back to itself.
 * Loops that exist even with the entry do not count. Does not read the table if no other entry redirects to its own
 * host.
 *
 * @throws {AppError} REDIRECT_LOOP
 */
export async function requireNoUncoveredLoop(given: GivenUp): Promise<void> {
  const { tx, redirect, table, entry, after } = given;
  if (!entry.enabled || (after?.enabled && matchSame(entry, after))) return;
  const leading = await pathRepository.enabledLeadingTo(tx, redirect, 2);
  if (leading.every(({ id }) => id === entry.id)) return;
  const stored = await pathRepository.allEnabled(tx, redirect.id);
  const others = stored.filter(({ id }) => id !== entry.id);
  const left = after?.enabled ? [...others, after] : others;
  const loops = await loopsOf(left, table.options, redirect);
  if (loops.length === 0) return;
  const known = new Set((await loopsOf(stored, table.options, redirect)).map(({ id }) => id));
  const closed = loops.find(({ id }) => !known.has(id));
  if (closed === undefined) return;
  throw new AppError('REDIRECT_LOOP', {
    message: `Without ${entry.source}, the destination of ${closed.source} leads back to it through this table. Change ${closed.source} first.`,
    ...(after !== undefined && { field: after.enabled ? 'source' : 'enabled' }),
  });
}

/** Returns whether two entries match the same requests. */
function matchSame(one: PathEntry, other: PathEntry): boolean {
  const { source, query, pathEnding } = one;
  return (
    source === other.source &&
    pathEnding === other.pathEnding &&
    packConditions(query) === packConditions(other.query)
  );
}

async function loopsOf(
  entries: readonly PathEntry[],
  options: PathOptions,
  redirect: Redirect,
): Promise<readonly PathEntry[]> {
  const checked = checkedRedirect(redirect);
  const valid: PathEntry[] = [];
  const prepared: PreparedEntry[] = [];
  for (const entry of entries) {
    const one = prepareEntry(entry, options, checked);
    if ('field' in one) continue;
    valid.push(entry);
    prepared.push(one);
  }
  const loops = await inTurns(findLoopsInSteps(valid, prepared, options, checked));
  return loops.flatMap((index) => valid[index] ?? []);
}
