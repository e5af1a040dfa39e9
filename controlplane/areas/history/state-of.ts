import type { Queryable } from '../../storage/postgres/database.js';
import { decodeDelta, type StoredDelta } from './delta-text.js';
import { applyDelta, type MutableDelta, mergeDeltas } from './reverse-delta.js';
import type { CurrentState, VersionState } from './version-state.js';

/** Reads the current state of a live redirect; undefined without one. */
export type ReadCurrent = (source: Queryable, redirectId: string) => Promise<CurrentState | undefined>;

/**
 * Restores the state of a redirect at a version. Resolves to undefined for a version that never existed or is no longer
 * known. In a transaction that holds the lock of the redirect's row it sees the changes of that transaction.
 */
export type StateOf = (
  source: Queryable,
  redirectId: string,
  version: number,
) => Promise<VersionState | undefined>;

/** Deltas per statement. Most are short. */
const DELTAS_AT_ONCE = 50;
/** Maximum attempts to read while the redirect changes. */
const MAX_ATTEMPTS = 5;

interface DeltaRow extends StoredDelta {
  readonly version: number;
}

export function createStateOf(readCurrent: ReadCurrent): StateOf {
  return async (source, redirectId, version) => {
    const current = await readSteadily(source, redirectId);
    if (current === undefined || version > current.version) return undefined;
    return goBack(source, redirectId, current, version);
  };

  /** Reads a state that did not change during the read. */
  async function readSteadily(source: Queryable, redirectId: string): Promise<CurrentState | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const state = await readCurrent(source, redirectId);
      if (state === undefined || (await versionOf(source, redirectId)) === state.version) return state;
    }
    throw new Error(`the redirect ${redirectId} changes too often to be read`);
  }
}

async function goBack(
  source: Queryable,
  redirectId: string,
  { version: newest, ...current }: CurrentState,
  version: number,
): Promise<VersionState | undefined> {
  // Merge the deltas and apply them once: a table of 100,000 entries must not be rebuilt for each of its changes.
  const merged: MutableDelta = {};
  let reached = newest;
  while (reached > version) {
    const rows = await source.query<DeltaRow>(
      `SELECT version, delta, packed FROM redirect_versions
       WHERE redirect_id = $1 AND version <= $2 AND version > $3 ORDER BY version DESC LIMIT $4`,
      [redirectId, reached, version, DELTAS_AT_ONCE],
    );
    if (rows.length === 0) return undefined;
    for (const row of rows) {
      const delta = await decodeDelta(row);
      // A gap: an earlier release has changed the redirect, so the earlier state is unknown.
      if (row.version !== reached || delta === null) return undefined;
      mergeDeltas(merged, delta);
      reached -= 1;
    }
  }
  return applyDelta(current, merged);
}

async function versionOf(source: Queryable, redirectId: string): Promise<number | undefined> {
  const [row] = await source.query<{ version: number }>('SELECT version FROM redirects WHERE id = $1', [
    redirectId,
  ]);
  return row?.version;
}
