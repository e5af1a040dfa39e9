import { amongTexts } from './among-texts.js';
import { AUDIENCE, type QueryContext } from './question.js';
import { type HitGroups, type Measure, type RollUp, visitorsOf } from './source.js';

/** Measures whose greatest is told of a row. */
type Extreme = Extract<Measure, 'north' | 'east'>;

export interface ListOptions<Key extends string, Told extends Extreme = never>
  extends Pick<HitGroups, 'rollUp'> {
  /** Keys of the rows: names, and text expressions over the roll-up's columns. */
  readonly keys: Readonly<Record<Key, string>>;
  /** Expressions that select the groups of a row. Default: the keys are columns. */
  readonly lookUp?: LookUp<Key>;
  /** Order of rows with equal hits: an expression over the keys. Default: the keys. */
  readonly tieOrder?: string;
  /** Condition over the keys that selects groups. Default: all. */
  readonly covered?: string;
  /** Default: none. */
  readonly extremes?: readonly Told[];
  /** Rows at most. */
  readonly limit: number;
}

/** Finds groups by texts of columns, for which the engine uses its index. It does not use it for expressions. */
export interface LookUp<Key extends string> {
  /**
   * The column that has the very text of the key, but for the groups that are scattered. Keys that follow from others need
   * none.
   */
  readonly columns: Readonly<Partial<Record<Key, string>>>;
  /** Groups that share their keys with any number of others: a condition over columns. */
  readonly scattered: string;
}

export type RankedRow<Key extends string, Told extends Extreme = never> = Readonly<Record<Key, string>> &
  Readonly<Record<Told, number>> & {
    readonly hits: number;
    readonly uniqueVisitors: number;
  };

export interface RankedList<Key extends string, Told extends Extreme = never> {
  /** Rows by hits, descending, then by key, unless the options say otherwise. */
  readonly rows: readonly RankedRow<Key, Told>[];
  /** Rows without the limit. */
  readonly totalRows: number;
  /** Hits of these. */
  readonly totalHits: number;
  /** Hits that the list does not cover. */
  readonly otherHits: number;
}

type Totals = Pick<RankedList<never>, 'totalRows' | 'totalHits' | 'otherHits'>;

/** Columns that are read for each row. */
interface Beside extends Totals {
  readonly isCovered: 0 | 1;
}

const BESIDE = ['isCovered', 'totalRows', 'totalHits', 'otherHits'] as const satisfies (keyof Beside)[];
const NO_HITS: Totals = { totalRows: 0, totalHits: 0, otherHits: 0 };

/** Roll-ups with so few different rows that visitors are worked out for all of them sooner than the first are found. */
const SMALL: ReadonlySet<RollUp> = new Set(['by_day', 'by_hour', 'by_country', 'by_client', 'by_language']);

/** Minimum length of a list for which an estimate (about 6 ms) first tells whether the list has all rows. */
const LONG_LIST = 500;
/** A row has a state of its visitors for each day. Those of 30 days are read with all of their two months. */
const STATES_PER_ROW = 62;

/** Columns of rows beside their hits. */
interface Telling {
  readonly measures: readonly Measure[];
  /** Around groups with these measures, each with a name. */
  readonly columns: readonly string[];
}

const NOTHING_ELSE: Telling = { measures: [], columns: [] };

type HitsOfRow<Key extends string> = Readonly<Record<Key, string>> & { readonly hits: number };

/** Hits and visitors of the audience by some keys. Hits and totals are of one moment. */
export async function rankedList<Key extends string, Told extends Extreme = never>(
  context: QueryContext,
  options: ListOptions<Key, Told>,
): Promise<RankedList<Key, Told>> {
  const { rollUp, extremes = [] } = options;
  const telling: Telling = {
    measures: ['visitors', ...extremes],
    columns: [
      `${visitorsOf(rollUp)} AS uniqueVisitors`,
      ...extremes.map((name) => `max(${name}) AS ${name}`),
    ],
  };
  const isAtOnce = SMALL.has(rollUp) || (options.limit >= LONG_LIST && (await areFew(context, options)));
  const { rows, ...totals } = isAtOnce
    ? await readFirst<Key, RankedRow<Key, Told>>(context, options, telling)
    : await firstThenTold<Key, Told>(context, options, telling);
  return { ...totals, rows: rows.map(withPlausibleVisitors) };
}

/** Whether visitors of all rows are worked out sooner than the first rows are found, as the engine estimates. */
async function areFew(
  { source, select }: QueryContext,
  { rollUp, keys, limit }: Pick<ListOptions<string>, 'rollUp' | 'keys' | 'limit'>,
): Promise<boolean> {
  const groups = source.groups({ rollUp, keys, measures: ['n'], where: AUDIENCE });
  const toRead = await select<{ rows: number }>(`EXPLAIN ESTIMATE SELECT * FROM (${groups})`);
  return toRead.reduce((sum, { rows }) => sum + rows, 0) <= limit * STATES_PER_ROW;
}

/** Limits the estimated number of visitors to the number of hits. */
function withPlausibleVisitors<Row extends { hits: number; uniqueVisitors: number }>(row: Row): Row {
  return { ...row, uniqueVisitors: Math.min(row.uniqueVisitors, row.hits) };
}

/** The rows with the most hits, and the totals of all. */
async function readFirst<Key extends string, Row extends HitsOfRow<Key>>(
  { source, select }: QueryContext,
  { rollUp, keys, tieOrder, covered = '1', limit }: Omit<ListOptions<Key>, 'extremes'>,
  telling: Telling,
): Promise<Totals & { readonly rows: readonly Row[] }> {
  const names = Object.keys(keys).join(', ');
  const groups = source.groups({ rollUp, keys, measures: ['n', ...telling.measures], where: AUDIENCE });
  // What the list does not cover comes last, so that there is a row with the totals if there are any hits.
  const found = await select<Row & Beside>(
    `SELECT *, toUInt8(${covered}) AS isCovered, sum(isCovered) OVER () AS totalRows,
       sumIf(hits, isCovered) OVER () AS totalHits, sumIf(hits, NOT isCovered) OVER () AS otherHits
     FROM (SELECT ${[names, 'sum(n) AS hits', ...telling.columns].join(', ')} FROM (${groups}) GROUP BY ${names})
     ORDER BY isCovered DESC, hits DESC, ${tieOrder ?? names} LIMIT {limit:UInt32}`,
    { limit },
  );
  const { totalRows, totalHits, otherHits } = found[0] ?? NO_HITS;
  const rows = found.filter(({ isCovered }) => isCovered === 1).map(withoutTotals<Row>);
  return { rows, totalRows, totalHits, otherHits };
}

function withoutTotals<Row extends object>(row: Row & Beside): Row {
  const kept: Row & { -readonly [Name in keyof Beside]?: Beside[Name] } = { ...row };
  for (const name of BESIDE) delete kept[name];
  return kept;
}

/**
 * Merging visitors is what costs, so the rows are found by their hits first, and visitors worked out for those alone:
 * by a condition on the columns, with which the engine passes over all others.
 */
async function firstThenTold<Key extends string, Told extends Extreme>(
  context: QueryContext,
  options: ListOptions<Key, Told>,
  telling: Telling,
) {
  const { rows, ...totals } = await readFirst<Key, HitsOfRow<Key>>(context, options, NOTHING_ELSE);
  const names = Object.keys(options.keys) as Key[];
  const idOf = (row: Readonly<Record<Key, string>>) => JSON.stringify(names.map((name) => row[name]));
  const told = rows.length === 0 ? [] : await readTold(context, options, telling, rows);
  const toldOf = new Map(told.map((row) => [idOf(row), row]));
  // Hits that were there a moment ago may have expired. Somebody had made them.
  const expired = {
    uniqueVisitors: 1,
    ...Object.fromEntries((options.extremes ?? []).map((name) => [name, 0])),
  };
  return {
    ...totals,
    rows: rows.map((row) => ({ ...expired, ...toldOf.get(idOf(row)), ...row }) as RankedRow<Key, Told>),
  };
}

/** Returns the columns of these rows, in any order. */
function readTold<Key extends string, Told extends Extreme>(
  { source, select }: QueryContext,
  { rollUp, keys, lookUp }: ListOptions<Key, Told>,
  telling: Telling,
  rows: readonly HitsOfRow<Key>[],
) {
  const names = Object.keys(keys) as Key[];
  const { columns, scattered } = lookUp ?? { columns: keys, scattered: '0' };
  const lookedUp = Object.entries<string>(columns as Readonly<Record<string, string>>);
  const listed = amongTexts(
    lookedUp.map(([, column]) => column),
    rows.map((row) => lookedUp.map(([name]) => row[name as Key])),
    'listed',
  );
  const groups = source.groups({
    rollUp,
    keys,
    measures: telling.measures,
    where: `${AUDIENCE} AND (${listed.sql} OR ${scattered})`,
  });
  return select<Readonly<Record<Key, string>>>(
    `SELECT ${[...names, ...telling.columns].join(', ')} FROM (${groups}) GROUP BY ${names.join(', ')}`,
    listed.params,
  );
}
