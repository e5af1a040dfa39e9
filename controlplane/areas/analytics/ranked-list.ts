import { amongTexts } from './among-texts.js';
import { AUDIENCE, type QueryContext } from './question.js';
import { type HitGroups, type Measure, type RollUp, visitorsOf } from './source.js';

/** Measures of a row that are maxima. */
type Extreme = Extract<Measure, 'maxLatitude' | 'maxLongitude'>;

export interface ListOptions<Key extends string, Told extends Extreme = never, Other extends string = never>
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
  /** Whether hits that the list does not cover have many groups in the roll-up. Default: no. */
  readonly hasOtherGroups?: boolean;
  /** Further lists of hits that the same statement reads. Each has one key, which is not empty. */
  readonly others?: Readonly<Record<Other, string>>;
  /** Maximum number of rows. */
  readonly limit: number;
}

/** Finds groups by texts of columns, for which the engine uses its index. It does not do so for expressions. */
export interface LookUp<Key extends string> {
  readonly columns: readonly string[];
  /** The texts of these columns in the groups of a row. Undefined for a row whose groups have various texts. */
  textsOf(row: Readonly<Record<Key, string>>): readonly string[] | undefined;
  /** Condition that selects the groups of the rows without texts. Default: all rows have texts. */
  readonly scattered?: string;
}

export type RankedRow<Key extends string, Told extends Extreme = never> = Readonly<Record<Key, string>> &
  Readonly<Record<Told, number>> & {
    readonly hits: number;
    readonly uniqueVisitors: number;
  };

/** A row of a further list. */
export interface OtherRow {
  readonly name: string;
  readonly hits: number;
}

export interface RankedList<Key extends string, Told extends Extreme = never, Other extends string = never> {
  /** Rows by hits, descending, then by key, unless the options say otherwise. */
  readonly rows: readonly RankedRow<Key, Told>[];
  /** Number of rows without the limit. */
  readonly totalRows: number;
  /** Number of their hits. */
  readonly totalHits: number;
  /** Number of hits that the list does not cover. */
  readonly otherHits: number;
  /** The rows of each further list with the most hits, in the same order. */
  readonly others: Readonly<Record<Other, readonly OtherRow[]>>;
}

type Totals = Pick<RankedList<never>, 'totalRows' | 'totalHits' | 'otherHits'>;
type Others<Other extends string> = Pick<RankedList<never, never, Other>, 'others'>;

/** Columns that are read for each row. */
interface Beside extends Totals {
  /** 0 for the list itself, 1 and more for the further ones. */
  readonly list: number;
  readonly isCovered: 0 | 1;
}

const NO_HITS: Totals = { totalRows: 0, totalHits: 0, otherHits: 0 };

/** Minimum number of rows of a further list. The limit of the list itself may be lower. */
const OTHER_ROWS = 10;

/** Roll-ups with so few rows that computing visitors for all is faster than finding the first rows. */
const SMALL: ReadonlySet<RollUp> = new Set(['by_language']);

/** Columns of rows beside their hits. */
interface Telling {
  readonly measures: readonly Measure[];
  /** SQL over groups with these measures, by the name of its column. */
  readonly columns: Readonly<Record<string, string>>;
}

const NOTHING_ELSE: Telling = { measures: [], columns: {} };

type HitsOfRow<Key extends string> = Readonly<Record<Key, string>> & { readonly hits: number };

/**
 * Reads hits and visitors of the audience by some keys. Hits and totals show the same moment. A list that had all rows
 * when it was last read takes one statement; computing visitors for all rows is then faster than finding the first
 * rows.
 */
export async function rankedList<
  Key extends string,
  Told extends Extreme = never,
  Other extends string = never,
>(context: QueryContext, options: ListOptions<Key, Told, Other>): Promise<RankedList<Key, Told, Other>> {
  const { rollUp, keys, extremes = [], hasOtherGroups = false, limit } = options;
  const telling: Telling = {
    measures: ['visitors', ...extremes],
    columns: {
      uniqueVisitors: visitorsOf(rollUp),
      ...Object.fromEntries(extremes.map((name) => [name, `max(${name})`])),
    },
  };
  const list = `${rollUp} ${Object.keys(keys)}`;
  const hadAllRows = !hasOtherGroups && (context.rowsOfLists.get(list) ?? Infinity) <= limit;
  const reading =
    SMALL.has(rollUp) || hadAllRows
      ? readFirst<Key, Other, RankedRow<Key, Told>>(context, options, telling)
      : firstThenTold<Key, Told, Other>(context, options, telling);
  // The list may have grown so much that one statement no longer answers in time. The next attempt takes two.
  reading.catch(() => context.rowsOfLists.set(list, Infinity));
  const { rows, ...totals } = await reading;
  context.rowsOfLists.set(list, totals.totalRows);
  return { ...totals, rows: rows.map(withPlausibleVisitors) };
}

/** Limits the estimated number of visitors to the number of hits. */
function withPlausibleVisitors<Row extends { hits: number; uniqueVisitors: number }>(row: Row): Row {
  return { ...row, uniqueVisitors: Math.min(row.uniqueVisitors, row.hits) };
}

/** Reads the rows with the most hits, the totals of all, and the further lists. */
async function readFirst<Key extends string, Other extends string, Row extends HitsOfRow<Key>>(
  { source, select }: QueryContext,
  options: Omit<ListOptions<Key, never, Other>, 'extremes'>,
  { measures, columns }: Telling,
): Promise<Totals & Others<Other> & { readonly rows: readonly Row[] }> {
  const { rollUp, keys, others = {} as Record<Other, string>, tieOrder, covered = '1', limit } = options;
  const names = Object.keys(keys);
  const furtherLists = Object.keys(others) as Other[];
  const all = { ...keys, ...others };
  const grouped = groupedInto([names, ...furtherLists.map((name) => [name])], Object.keys(all));
  const groups = source.groups({ rollUp, keys: all, measures: ['n', ...measures], where: AUDIENCE });
  const hasKey = furtherLists.map((name, index) => `list = ${index + 1}, ${name} != ''`);
  const isCovered = hasKey.length === 0 ? covered : `multiIf(${hasKey.join(', ')}, ${covered})`;
  const counted = [...Object.keys(all), 'sum(n) AS hits', ...asColumns(columns)].join(', ');
  // Hits that the list does not cover come last. If there are any hits, a row with the totals therefore exists.
  const found = await select<Row & Beside & Readonly<Record<Other, string>>>(
    `SELECT *, toUInt8(${isCovered}) AS isCovered,
       sum(isCovered) OVER lists AS totalRows, sumIf(hits, isCovered) OVER lists AS totalHits,
       sumIf(hits, NOT isCovered) OVER lists AS otherHits
     FROM (SELECT ${grouped.list} AS list, ${counted} FROM (${groups}) GROUP BY ${grouped.by})
     WINDOW lists AS (PARTITION BY list)
     ORDER BY list, isCovered DESC, hits DESC, ${[tieOrder ?? names, ...furtherLists].join(', ')}
     LIMIT {limit:UInt32} BY list`,
    { limit: furtherLists.length === 0 ? limit : Math.max(limit, OTHER_ROWS) },
  );
  const rowsOf = (wanted: number) => found.filter((row) => row.list === wanted && row.isCovered === 1);
  const { totalRows, totalHits, otherHits } = found[0] ?? NO_HITS;
  return {
    rows: rowsOf(0)
      .slice(0, limit)
      .map((row) => picked(row, [...names, 'hits', ...Object.keys(columns)]) as Row),
    ...{ totalRows, totalHits, otherHits },
    others: Object.fromEntries(
      furtherLists.map((name, index) => [
        name,
        rowsOf(index + 1).map((row): OtherRow => ({ name: row[name] as string, hits: row.hits })),
      ]),
    ) as Record<Other, OtherRow[]>,
  };
}

/**
 * Returns SQL to group by several lists of keys: `list` is the number of a row's list, from 0, and `by`
 * follows `GROUP BY`.
 */
function groupedInto(lists: readonly (readonly string[])[], all: readonly string[]) {
  const [names = []] = lists;
  if (lists.length === 1) return { list: '0', by: names.join(', ') };
  // The engine reports which keys a row is not grouped by: one bit each, that of the last key is 1.
  const bitsOf = (keys: readonly string[]) =>
    all.reduce((bits, key) => bits * 2 + (keys.includes(key) ? 0 : 1), 0);
  return {
    list: `indexOf([${lists.map(bitsOf).join(', ')}], grouping(${all.join(', ')})) - 1`,
    by: `GROUPING SETS (${lists.map((keys) => `(${keys.join(', ')})`).join(', ')})`,
  };
}

function picked(row: object, names: readonly string[]): object {
  const columns = row as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map((name) => [name, columns[name]]));
}

const asColumns = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns).map(([name, expression]) => `${expression} AS ${name}`);

/**
 * Merging visitors is expensive. The rows are therefore found by their hits first. Then visitors are computed only for
 * these rows, by a condition on columns with which the engine skips all others.
 */
async function firstThenTold<Key extends string, Told extends Extreme, Other extends string>(
  context: QueryContext,
  options: ListOptions<Key, Told, Other>,
  telling: Telling,
) {
  const { rows, ...totals } = await readFirst<Key, Other, HitsOfRow<Key>>(context, options, NOTHING_ELSE);
  const names = Object.keys(options.keys) as Key[];
  const idOf = (row: Readonly<Record<Key, string>>) => JSON.stringify(names.map((name) => row[name]));
  const told = rows.length === 0 ? [] : await readTold(context, options, telling, rows);
  const toldOf = new Map(told.map((row) => [idOf(row), row]));
  // Hits may have expired since the first statement, but they had visitors.
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
  { rollUp, keys, lookUp }: Pick<ListOptions<Key, Told>, 'rollUp' | 'keys' | 'lookUp'>,
  telling: Telling,
  rows: readonly HitsOfRow<Key>[],
) {
  const names = Object.keys(keys) as Key[];
  const {
    columns,
    textsOf,
    scattered = '0',
  }: LookUp<Key> = lookUp ?? {
    columns: Object.values<string>(keys),
    textsOf: (row) => names.map((name) => row[name]),
  };
  const texts = rows.map(textsOf);
  const listed = amongTexts(
    columns,
    texts.filter((row) => row !== undefined),
    'listed',
  );
  // Planning a statement with OR takes 10 ms more: the engine searches the whole index of the hits.
  const isListed = texts.includes(undefined) ? `(${listed.sql} OR ${scattered})` : listed.sql;
  const groups = source.groups({
    rollUp,
    keys,
    measures: telling.measures,
    where: `${AUDIENCE} AND ${isListed}`,
  });
  return select<Readonly<Record<Key, string>>>(
    `SELECT ${[...names, ...asColumns(telling.columns)].join(', ')} FROM (${groups}) GROUP BY ${names.join(', ')}`,
    listed.params,
    { continues: true },
  );
}
