import { withoutTrailingSlash } from '../../../../shared/paths/path-key.js';
import type { ImportedRedirect, ImportedRow } from './import-format.js';
import type { Outcome } from './outcome.js';

/** Numbers the rows of a file. A line with several redirects becomes several rows. */
export class RowWriter {
  #last = 0;
  readonly #remarks = new Map<string, number>();

  /** @param line number of the line; undefined for items */
  *write(source: string, outcomes: readonly Outcome[], line?: number): Iterable<ImportedRow> {
    for (const outcome of withoutPairs(outcomes)) {
      this.#last += 1;
      const row = this.#last;
      if (outcome.status === 'read') {
        const { remark: text, ...reading } = outcome;
        const remark = text === undefined ? undefined : this.#limited(text);
        yield { row, source, ...reading, ...(remark !== undefined && { remark: placed(remark, row, line) }) };
      } else if (outcome.status === 'failed') {
        yield { row, source, ...outcome, message: placed(outcome.message, row, line) };
      } else yield { row, source, status: 'skipped', message: placed(outcome.message, row, line) };
    }
  }

  #limited(remark: string): string | undefined {
    const count = (this.#remarks.get(remark) ?? 0) + 1;
    this.#remarks.set(remark, count);
    if (count > MAX_REPEATS) return undefined;
    return count === MAX_REPEATS ? `${remark} The rows that follow do not repeat this.` : remark;
  }
}

/** Maximum rows with one remark. Files can have a million rows. */
const MAX_REPEATS = 1_000;

/**
 * Joins two redirects of a line: `/a` and `/a/`, or `/a` and `/a/*` if the destination of `/a` is that of `/a/*` with
 * an empty `*`.
 */
function withoutPairs(outcomes: readonly Outcome[]): readonly Outcome[] {
  if (outcomes.length < 2) return outcomes;
  const kept: Outcome[] = [];
  /** Indexes of redirects that compare their end, by all members except the end. */
  const places = new Map<string, number>();
  for (const outcome of outcomes) {
    const { redirect } = outcome.status === 'read' ? outcome : { redirect: undefined };
    if (outcome.status !== 'read' || redirect?.pathEnding !== 'exact' || redirect.path === null) {
      kept.push(outcome);
      continue;
    }
    const bare = withoutTrailingSlash(redirect.path.replace(/\*$/, ''));
    const destination = redirect.destination?.replaceAll('*', '') ?? null;
    const key = JSON.stringify({ ...outcome, redirect: { ...redirect, path: bare, destination } });
    const place = places.get(key);
    const other = place === undefined ? undefined : kept[place];
    const joined = other?.status === 'read' ? joinedPair(other.redirect, redirect) : undefined;
    if (place !== undefined && joined !== undefined) kept[place] = { ...outcome, redirect: joined };
    else {
      places.set(key, kept.length);
      kept.push(outcome);
    }
  }
  return kept;
}

function joinedPair(one: ImportedRedirect, other: ImportedRedirect): ImportedRedirect | undefined {
  const [short, long] = (one.path ?? '').length < (other.path ?? '').length ? [one, other] : [other, one];
  if (one.pathEnding !== 'exact' || short.path === null) return undefined;
  if (long.path === `${short.path}/`) return { ...short, pathEnding: 'either' };
  return long.path === `${short.path}/*` ? { ...long, pathEnding: 'inherit' } : undefined;
}

/** Adds the line number to a message if it differs from the row number. */
function placed(message: string, row: number, line: number | undefined): string {
  return line === undefined || line === row ? message : `Line ${line}: ${message}`;
}
