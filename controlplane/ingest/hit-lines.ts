import { HIT_COLUMNS } from '../../shared/hits/hit-row.js';

const HIT_ID = HIT_COLUMNS.indexOf('hit_id');
const REDIRECT_ID = HIT_COLUMNS.indexOf('redirect_id');
const TIMESTAMP = HIT_COLUMNS.indexOf('timestamp');

/** What finds one hit in the store. */
export interface HitKey {
  readonly ordinal: number;
  readonly redirectId: string;
  /** `YYYY-MM-DD hh:mm:ss.SSS`, UTC. */
  readonly timestamp: string;
}

/** Rows that are not what a batch of this producer may hold. They stay wrong however often they are sent. */
export class HitLinesError extends Error {}

/**
 * The keys of the first and the last row, without touching those between them.
 *
 * @throws HitLinesError
 */
export function outerKeys(rows: string, producerId: string): readonly [HitKey, HitKey] {
  const text = rows.trimEnd();
  const firstEnd = text.indexOf('\n');
  const first = firstEnd === -1 ? text : text.slice(0, firstEnd);
  const last = text.slice(text.lastIndexOf('\n') + 1);
  return [keyOf(first, producerId), keyOf(last, producerId)];
}

/**
 * Every row as text with its key.
 *
 * @throws HitLinesError
 */
export function keyedLines(rows: string, producerId: string): { line: string; key: HitKey }[] {
  return rows
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ line, key: keyOf(line, producerId) }));
}

function keyOf(line: string, producerId: string): HitKey {
  const values = parse(line);
  const hitId = values[HIT_ID];
  const redirectId = values[REDIRECT_ID];
  const timestamp = values[TIMESTAMP];
  if (typeof hitId !== 'string' || typeof redirectId !== 'string' || typeof timestamp !== 'string') {
    throw new HitLinesError('a row lacks its hit id, its redirect id or its timestamp');
  }
  const ordinal = hitId.startsWith(`${producerId}-`) ? hitId.slice(producerId.length + 1) : '';
  if (!/^\d{1,15}$/.test(ordinal)) {
    throw new HitLinesError('a row has a hit id that is not of the producer of its batch');
  }
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}$/.test(timestamp)) {
    throw new HitLinesError('a row has a timestamp that is not YYYY-MM-DD hh:mm:ss.SSS');
  }
  return { ordinal: Number(ordinal), redirectId, timestamp };
}

function parse(line: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(line);
    if (Array.isArray(values) && values.length === HIT_COLUMNS.length) return values;
  } catch {
    // Said below, as for JSON that is no row.
  }
  throw new HitLinesError(`a row is not a JSON array of ${HIT_COLUMNS.length} values`);
}
