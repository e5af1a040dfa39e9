import { inTurns } from '../../../shared/async/in-turns.js';
import {
  type CheckedRedirect,
  type FollowedTable,
  nextEntry,
  stayingAt,
} from '../../../shared/paths/check-table.js';
import { coversBecauseOf, relatedKeys } from '../../../shared/paths/covered-entries.js';
import { chain, coveredEntry, dotSegments, type PathDiagnostic } from '../../../shared/paths/diagnostics.js';
import type { PathEntry, PathOptions } from '../../../shared/paths/path-entry.js';
import { hashKey } from '../../../shared/paths/path-key.js';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import { ENTRIES_PER_STEP, type PreparedEntry } from '../../../shared/paths/publish-table.js';
import type { PublishedPaths } from '../../../shared/paths/published-paths.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { prepareStored } from './page-writer.js';
import { pathRepository } from './path-repository.js';
import type { StoredTable } from './path-table.js';
import { withNeededPages } from './table-reading.js';
import { checkedRedirect } from './table-replacement.js';

/** Maximum entries that are followed to find those that redirect to an entry. */
const MAX_FOLLOWED = 10_000;
/** Maximum diagnostics of one entry. */
const MAX_DIAGNOSTICS = 1_000;
/** Entries per step. Following them takes less than a millisecond. */
const FOLLOWED_PER_STEP = 8;

interface WrittenEntry {
  readonly tx: Queryable;
  readonly redirect: Redirect;
  /** Table before the entry was written, with the same options. */
  readonly table: Pick<StoredTable, 'options' | 'salt'>;
  readonly entry: PathEntry;
}

/** An entry in stored and prepared form. */
interface Prepared {
  readonly entry: PathEntry;
  readonly prepared: PreparedEntry;
}

/**
 * Returns the diagnostics that a table has because of one enabled entry: those that `checkTable` would not return
 * without it. Reads only the entries that can be affected, not the whole table.
 *
 * @param written an entry that this transaction has stored and published
 */
export async function diagnoseEntry(written: WrittenEntry): Promise<PathDiagnostic[]> {
  const { entry, redirect, table } = written;
  const one = { entry, prepared: prepareStored(entry, table.options, redirect.fromDomain) };
  const dotted = dotSegments(entry);
  const covers = await coversOf(written, one);
  const chains = await chainsOf(written, one);
  return [...(dotted === undefined ? [] : [dotted]), ...covers, ...chains].slice(0, MAX_DIAGNOSTICS);
}

async function coversOf(
  { tx, redirect, table: { options, salt } }: WrittenEntry,
  { entry, prepared }: Prepared,
): Promise<PathDiagnostic[]> {
  const hashes = relatedKeys(prepared, options.ignoreTrailingSlash).map((key) => hashKey(key, salt));
  const stored = await pathRepository.enabledWithHashes(tx, redirect.id, hashes);
  const covers = coversBecauseOf(
    stored.map((other) => prepareStored(other, options, redirect.fromDomain)),
    stored.findIndex(({ id }) => id === entry.id),
    options.ignoreTrailingSlash,
  );
  return covers.flatMap(({ index, by }) => {
    const [hidden, last] = [stored[index], stored[by]];
    return hidden === undefined || last === undefined ? [] : [coveredEntry(hidden, last)];
  });
}

async function chainsOf(written: WrittenEntry, one: Prepared): Promise<PathDiagnostic[]> {
  const { tx, redirect, table, entry } = written;
  const checked = checkedRedirect(redirect);
  const staysHere = stayingAt(checked);
  const stored = await pathRepository.enabledLeadingTo(tx, redirect, MAX_FOLLOWED);
  const prepared = await inTurns(prepareInSteps(stored, table.options, redirect.fromDomain));
  const leading = prepared.filter((other) => staysHere(other.prepared));
  if (leading.length === 0) return [];
  const published = (await pathRepository.findTable(tx, redirect.id))?.published ?? undefined;
  if (published === undefined) return [];
  const { next, former } = await withNeededPages(tx, redirect.id, (pages) =>
    followInSteps(one, leading, followedTable(checked, published, pages)),
  );
  const sources = await pathRepository.sourcesOf(tx, redirect.id, next === undefined ? [] : [next]);
  const [source] = sources.values();
  return [
    ...(source === undefined ? [] : [chain(entry, { source })]),
    ...former.map((other) => chain(other, entry)),
  ];
}

interface Followed {
  /** Id of the entry to which the entry redirects. */
  readonly next: number | undefined;
  /** Entries that redirect to the entry. */
  readonly former: readonly PathEntry[];
}

function* followInSteps(
  { entry, prepared }: Prepared,
  leading: readonly Prepared[],
  table: FollowedTable,
): Generator<undefined, Followed> {
  const former: PathEntry[] = [];
  for (const [index, other] of leading.entries()) {
    if (index % FOLLOWED_PER_STEP === 0) yield;
    if (other.entry.id === entry.id) continue;
    if (nextEntry(other.entry, other.prepared, table, entry.id) !== undefined) former.push(other.entry);
  }
  return { next: nextEntry(entry, prepared, table), former };
}

function* prepareInSteps(
  entries: readonly PathEntry[],
  options: PathOptions,
  host: string,
): Generator<undefined, Prepared[]> {
  const prepared: Prepared[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    prepared.push({ entry, prepared: prepareStored(entry, options, host) });
  }
  return prepared;
}

function followedTable(redirect: CheckedRedirect, paths: PublishedPaths, pages: PathPages): FollowedTable {
  return { ...redirect, paths, pages };
}
