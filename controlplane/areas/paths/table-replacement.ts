import { inTurns } from '../../../shared/async/in-turns.js';
import { type CheckedTable, checkTableInSteps, type TableFault } from '../../../shared/paths/check-table.js';
import { collapseInSteps } from '../../../shared/paths/collapse-table.js';
import type { PathDiagnostic } from '../../../shared/paths/diagnostics.js';
import type { PathOptions } from '../../../shared/paths/path-entry.js';
import { hashKey } from '../../../shared/paths/path-key.js';
import { ENTRIES_PER_STEP, prepareEntry } from '../../../shared/paths/publish-table.js';
import { AppError } from '../../errors/app-error.js';
import type { ReverseDelta } from '../history/public.js';
import type { Redirect } from '../redirects/public.js';
import { followToOthers } from './other-redirects.js';
import { type TableChange, writeAllPages } from './page-writer.js';
import { recordTable, type TableCause, tableDelta } from './path-history.js';
import { type PlacedEntry, pathRepository } from './path-repository.js';
import type { EntrySettings, ReturningEntry, StoredEntry, StoredTable } from './path-table.js';
import { versionRepository } from './version-repository.js';

/** Result of a replacement. */
export interface TableReplaced {
  readonly total: number;
  readonly diagnostics: readonly PathDiagnostic[];
  /** Version of the table. */
  readonly version: number;
  /** Ids of the entries that were collapsed. */
  readonly collapsedIds: readonly number[];
}

/** Selects the entries that redirect directly to the end of their chain: all, none, or those with an id of the set. */
export type Collapse = boolean | ReadonlySet<number>;
/** Result of a replacement that was written. */
export interface TableWritten extends TableReplaced {
  /** Difference from the new table back to the previous one. */
  readonly delta: ReverseDelta;
}

export interface CausedChange extends TableChange {
  /** Undefined if the caller records the version. */
  readonly cause: TableCause | undefined;
}

interface WriteOptions {
  /** All entries before the change. */
  readonly earlier: readonly StoredEntry[];
  readonly collapse?: Collapse | undefined;
}

/** Replaces all entries with entries that already have ids. Otherwise the same as `replaceTable`. */
export async function writeTable(
  change: CausedChange,
  options: PathOptions,
  given: readonly NamedEntry[],
  { earlier, collapse = false }: WriteOptions,
): Promise<TableWritten> {
  const { tx, redirect, table, cause } = change;
  const { entries, checked, collapsedIds } = await checkAndCollapse(change, options, given, collapse);
  const replaced = { ...table, options, entryCount: entries.length, version: table.version + 1 };
  const placed = await inTurns(placeAll(redirect, replaced, entries));
  if (table.version > 0) await versionRepository.keepPrevious(tx, table);
  await pathRepository.saveTable(tx, replaced);
  await pathRepository.deleteEntries(tx, redirect.id);
  await pathRepository.insertEntries(tx, redirect.id, placed);
  await writeAllPages({ ...change, table: replaced }, checked.entries);
  const delta = await tableDelta({ ...table, entries: earlier }, { options, entries });
  if (cause !== undefined) await recordTable(tx, cause, redirect, delta);
  const { diagnostics } = checked;
  return { total: entries.length, diagnostics, version: replaced.version, collapsedIds, delta };
}

/**
 * Replaces all entries and options, and keeps the old ones as the previous version.
 *
 * @param change with the current table
 * @param collapse whether entries redirect directly to the end of their chain
 * @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP, with the entry's index in the field
 */
export async function replaceTable(
  change: CausedChange,
  options: PathOptions,
  entries: readonly ReturningEntry[],
  collapse?: Collapse,
): Promise<TableWritten> {
  const { tx, redirect } = change;
  const earlier = await pathRepository.allEntries(tx, redirect.id);
  const named = await inTurns(keepIds(earlier, entries));
  const fresh = named.filter(({ id }) => id === 0);
  const ids = await pathRepository.newIds(tx, fresh.length);
  for (const [index, entry] of fresh.entries()) entry.id = ids[index] ?? 0;
  return writeTable(change, options, named, { earlier, collapse });
}

/**
 * Checks the enabled entries of a table, also against other redirects of this service.
 *
 * @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP, with the entry's index in the field
 */
export async function checkEntries(
  { tx, redirect }: Pick<TableChange, 'tx' | 'redirect'>,
  options: PathOptions,
  entries: readonly (EntrySettings & { readonly id: number })[],
): Promise<CheckedTable> {
  const indexes: number[] = [];
  const enabled = entries.filter((entry, index) => {
    if (entry.enabled) indexes.push(index);
    return entry.enabled;
  });
  const fieldOf = (index: number, member: string) => `entries.${indexes[index] ?? index}.${member}`;
  const checked = await inTurns(checkTableInSteps(enabled, options, checkedRedirect(redirect)));
  if ('kind' in checked) {
    const { index, field = 'source' } = checked;
    throw refusal(checked, index === undefined ? 'entries' : fieldOf(index, field));
  }
  const { chains, loops } = await followToOthers(tx, redirect, enabled, checked.entries);
  const [loop] = loops;
  if (loop !== undefined) throw otherLoop(loop.location, fieldOf(loop.index, 'source'));
  return { entries: checked.entries, diagnostics: [...checked.diagnostics, ...chains] };
}

interface CollapsedAndChecked<Entry> {
  readonly entries: readonly Entry[];
  readonly checked: CheckedTable;
  readonly collapsedIds: readonly number[];
}

/**
 * Checks a table as `checkEntries` does. For entries that `collapse` selects, replaces destinations that are other
 * entries with the end of the chain, and checks the result.
 */
export async function checkAndCollapse<Entry extends EntrySettings & { readonly id: number }>(
  change: Pick<TableChange, 'tx' | 'redirect'>,
  options: PathOptions,
  given: readonly Entry[],
  collapse: Collapse,
): Promise<CollapsedAndChecked<Entry>> {
  const checked = await checkEntries(change, options, given);
  if (collapse === false || !(await decidesAlone(change)))
    return { entries: given, checked, collapsedIds: [] };
  const { redirect } = change;
  const steps = collapseInSteps(
    given.filter(({ enabled }) => enabled),
    checked.entries,
    options,
    {
      ...checkedRedirect(redirect),
      servesHttps: redirect.httpsMode !== 'off',
      mayCollapse: (id) => collapse === true || collapse.has(id),
    },
  );
  const { changes, diagnostics } = await inTurns(steps);
  if (changes.size === 0) return { entries: given, checked, collapsedIds: [] };
  const collapsedIds: number[] = [];
  let enabled = -1;
  const entries = given.map((entry) => {
    if (entry.enabled) enabled += 1;
    const collapsed = entry.enabled ? changes.get(enabled) : undefined;
    if (collapsed === undefined) return entry;
    collapsedIds.push(entry.id);
    return { ...entry, ...collapsed };
  });
  const again = await checkEntries(change, options, entries);
  return {
    entries,
    checked: { ...again, diagnostics: [...diagnostics, ...again.diagnostics] },
    collapsedIds,
  };
}

/** Returns whether the table alone determines the destination of visitors of its paths. */
async function decidesAlone({ tx, redirect }: Pick<TableChange, 'tx' | 'redirect'>): Promise<boolean> {
  const { id, fromDomain, appendQuery } = redirect;
  if (fromDomain.startsWith('*.') || Object.keys(appendQuery).length > 0) return false;
  const rules = await tx.query("SELECT FROM rules WHERE redirect_id = $1 AND status = 'active' LIMIT 1", [
    id,
  ]);
  return rules.length === 0;
}

/** Returns the error for an entry that redirects back to itself through another redirect. */
export function otherLoop(location: string, field: string): AppError {
  const message = `${location} leads back to this entry through other redirects of this service. Choose a destination outside this loop.`;
  return refusal({ message, kind: 'loop' }, field);
}

export function checkedRedirect({ fromDomain, toDomain, queryForwarding }: Redirect) {
  return { host: fromDomain, destination: toDomain, queryForwarding };
}

export function refusal(
  { message, kind }: { readonly message: string; readonly kind?: TableFault['kind'] },
  field: string | undefined,
): AppError {
  const code = kind === 'loop' ? 'REDIRECT_LOOP' : 'VALIDATION_ERROR';
  return new AppError(code, { message, ...(field !== undefined && { field }) });
}

/** Computes the keys of look-ups for entries. Disabled entries must be valid as well. */
export function* placeAll(
  redirect: Redirect,
  { options, salt }: StoredTable,
  entries: readonly NamedEntry[],
): Generator<undefined, PlacedEntry[]> {
  const placed: PlacedEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const prepared = prepareEntry(entry, options, { host: redirect.fromDomain });
    if ('field' in prepared) throw refusal(prepared, `entries.${index}.${prepared.field}`);
    placed.push({ ...entry, hash: hashKey(prepared.published.key, salt), shape: prepared.shape });
  }
  return placed;
}

/** An entry with its id, which may be that of an earlier entry. */
export interface NamedEntry extends EntrySettings {
  readonly id: number;
  readonly createdAt?: Date;
}

/** An entry whose id is 0 if it needs a new one. */
interface UnnamedEntry extends NamedEntry {
  id: number;
}

/**
 * Gives entries the ids of earlier ones with the same source and conditions. Prefers an earlier entry with the same
 * ending, then one whose ending no new entry has.
 */
function* keepIds(
  earlier: readonly StoredEntry[],
  entries: readonly ReturningEntry[],
): Generator<undefined, UnnamedEntry[]> {
  const left = new Map<string, StoredEntry>();
  const taken = new Set<number>();
  for (const [index, entry] of earlier.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    left.set(nameWithEnding(entry), entry);
    taken.add(entry.id);
  }
  const sameEnding: (StoredEntry | undefined)[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const name = nameWithEnding(entry);
    sameEnding.push(left.get(name));
    left.delete(name);
  }
  const otherEnding = new Map(Array.from(left.values(), (entry) => [nameOf(entry), entry]));
  const named: UnnamedEntry[] = [];
  for (const [index, { earlier: before, ...settings }] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const name = nameOf(settings);
    const live = sameEnding[index] ?? otherEnding.get(name);
    if (sameEnding[index] === undefined) otherEnding.delete(name);
    const returning = before !== undefined && !taken.has(before.id) ? before : undefined;
    const known = live ?? returning;
    named.push({ ...settings, id: known?.id ?? 0, ...(known && { createdAt: known.createdAt }) });
  }
  return named;
}

function nameWithEnding(entry: Pick<EntrySettings, 'source' | 'query' | 'pathEnding'>): string {
  return `${entry.pathEnding} ${nameOf(entry)}`;
}

function nameOf({ source, query }: Pick<EntrySettings, 'source' | 'query'>): string {
  return query === null ? source : JSON.stringify([source, Object.entries(query).sort()]);
}
