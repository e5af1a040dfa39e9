import { isDeepStrictEqual } from 'node:util';
import { inTurns } from '../../../shared/async/in-turns.js';
import { findLoopsInSteps, TOO_MANY_SHAPES } from '../../../shared/paths/check-table.js';
import { ConditionCosts } from '../../../shared/paths/condition-costs.js';
import { MAX_PATH_SHAPES, type PathOptions } from '../../../shared/paths/path-entry.js';
import { EXACT } from '../../../shared/paths/path-key.js';
import { ENTRIES_PER_STEP, type PreparedEntry, prepareEntry } from '../../../shared/paths/publish-table.js';
import { AppError } from '../../errors/app-error.js';
import type { Plan } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { requireEntryRoom } from './entry-limit.js';
import { followToOthers } from './other-redirects.js';
import type { EntrySettings, StoredEntry } from './path-table.js';
import { checkedRedirect, type NamedEntry, otherLoop } from './table-replacement.js';

/** An entry of the merged table. */
interface Place {
  readonly entry: NamedEntry;
  readonly prepared: PreparedEntry;
  /** Index of the imported value; undefined for an entry that existed before. */
  readonly index: number | undefined;
  readonly before: StoredEntry | undefined;
}

/** An imported entry that was removed again, by the index of its value. */
export interface RefusedEntry {
  readonly index: number;
  readonly error: AppError;
}

/** A merge of the entries of a table with imported ones. */
export interface PathMerge {
  /**
   * Adds an imported entry. It replaces the entry that matches the same requests.
   *
   * @param newId its id if it replaces none
   * @throws {AppError} VALIDATION_ERROR, PLAN_LIMIT_REACHED
   */
  add(settings: EntrySettings, index: number, newId: number, plan: Plan): 'created' | 'updated' | 'unchanged';
  /**
   * Removes imported entries beyond the limits of arrangements and query conditions. Entries that existed before count
   * first.
   */
  dropCostly(): Generator<undefined, RefusedEntry[]>;
  /**
   * Removes imported entries that redirect back to themselves. The replaced entries return and can close another loop.
   */
  dropLoops(tx: Queryable): Promise<RefusedEntry[]>;
  entries(): NamedEntry[];
  /** Returns the ids of imported entries, each with the index of its value. */
  importedIds(): Map<number, number>;
}

/** Creates a merge that contains the entries of a table, in steps of less than a millisecond. */
export function* createPathMerge(
  redirect: Redirect,
  options: PathOptions,
  stored: readonly StoredEntry[],
): Generator<undefined, PathMerge> {
  const owner = { host: redirect.fromDomain };
  /** Entries by the requests that they match. A disabled entry may match the same requests as another one. */
  const places = new Map<string, Place>();
  const others: StoredEntry[] = [];
  const enabledFirst = [
    ...stored.filter(({ enabled }) => enabled),
    ...stored.filter(({ enabled }) => !enabled),
  ];
  for (const [at, entry] of enabledFirst.entries()) {
    if (at % ENTRIES_PER_STEP === 0) yield;
    const prepared = prepareEntry(entry, options, owner);
    const name = 'field' in prepared ? undefined : nameOf(prepared);
    if ('field' in prepared || name === undefined || places.has(name)) others.push(entry);
    else places.set(name, { entry, prepared, index: undefined, before: entry });
  }

  /** Restores the entry that an imported one replaced. */
  function drop(name: string, { before, prepared }: Place): void {
    if (before === undefined) places.delete(name);
    else {
      const earlier = prepareEntry(before, options, owner);
      places.set(name, {
        entry: before,
        prepared: 'field' in earlier ? prepared : earlier,
        index: undefined,
        before,
      });
    }
  }

  return {
    add(settings, index, newId, plan) {
      const prepared = prepareEntry({ ...settings, id: newId }, options, owner);
      if ('field' in prepared) throw new AppError('VALIDATION_ERROR', prepared);
      const name = nameOf(prepared);
      const { index: earlier, before } = places.get(name) ?? {};
      if (earlier !== undefined) throw duplicate(settings.source);
      if (before === undefined) requireEntryRoom(plan, places.size + others.length, 1);
      else if (isSame(before, settings)) return 'unchanged';
      const id = before?.id ?? newId;
      const entry = { ...settings, id, ...(before && { createdAt: before.createdAt }) };
      const published = { ...prepared.published, id };
      places.set(name, { entry, prepared: { ...prepared, published }, index, before });
      return before === undefined ? 'created' : 'updated';
    },

    *dropCostly() {
      const limits = createTableLimits();
      const added: [string, Place][] = [];
      for (const [at, [name, place]] of [...places].entries()) {
        if (at % ENTRIES_PER_STEP === 0) yield;
        if (!place.entry.enabled) continue;
        // An entry that replaces an enabled one costs the same.
        if (place.before?.enabled === true) limits.add(place);
        else added.push([name, place]);
      }
      const refused: RefusedEntry[] = [];
      for (const [at, [name, place]] of added.entries()) {
        if (at % ENTRIES_PER_STEP === 0) yield;
        const error = limits.add(place);
        if (error === undefined || place.index === undefined) continue;
        refused.push({ index: place.index, error });
        drop(name, place);
      }
      return refused;
    },

    async dropLoops(tx) {
      const enabled = [...places].filter(([, { entry }]) => entry.enabled);
      const entries = enabled.map(([, { entry }]) => entry);
      const prepared = enabled.map(([, one]) => one.prepared);
      const refused: RefusedEntry[] = [];
      const refuse = (at: number, error: AppError) => {
        const [name = '', place] = enabled[at] ?? [];
        if (place?.index === undefined) return;
        refused.push({ index: place.index, error });
        drop(name, place);
      };
      const steps = findLoopsInSteps(entries, prepared, options, checkedRedirect(redirect));
      for (const at of await inTurns(steps)) refuse(at, ownLoop(entries[at]?.source ?? ''));
      if (refused.length > 0) return refused;
      const { loops } = await followToOthers(tx, redirect, entries, prepared);
      for (const { index, location } of loops) refuse(index, otherLoop(location, 'destination'));
      return refused;
    },

    importedIds: () =>
      new Map(
        [...places.values()].flatMap(({ entry, index }) => (index === undefined ? [] : [[entry.id, index]])),
      ),

    entries: () => [...others, ...[...places.values()].map(({ entry }) => entry)].sort((a, b) => a.id - b.id),
  };
}

/** Counts the work of a look-up in the table. */
function createTableLimits() {
  const costs = new ConditionCosts();
  const shapes = new Set<string>();
  return {
    /** Returns the reason to refuse an entry, or undefined if it is accepted. A refused entry does not count. */
    add({ entry, prepared }: Place): AppError | undefined {
      const { shape } = prepared;
      if (shape !== EXACT && !shapes.has(shape) && shapes.size === MAX_PATH_SHAPES) {
        return new AppError('VALIDATION_ERROR', { field: 'source', message: TOO_MANY_SHAPES });
      }
      const problem = costs.add(prepared, entry.source);
      if (problem !== undefined)
        return new AppError('VALIDATION_ERROR', { field: 'query', message: problem });
      if (shape !== EXACT) shapes.add(shape);
      return undefined;
    },
  };
}

function nameOf({ published }: PreparedEntry): string {
  return `${published.key} ${published.conditions}`;
}

function isSame(before: StoredEntry, settings: EntrySettings): boolean {
  return Object.entries(settings).every(([name, value]) =>
    isDeepStrictEqual(value, before[name as keyof EntrySettings]),
  );
}

function duplicate(source: string): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'source',
    message: `An earlier row of the file matches the same requests as ${source}. Remove one of them, or give it other query conditions.`,
  });
}

function ownLoop(source: string): AppError {
  return new AppError('REDIRECT_LOOP', {
    field: 'destination',
    message: `The destination of ${source} leads back to it through this table. Choose one outside this loop.`,
  });
}
