import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { AnalyticsRepository } from './analytics-repository.js';
import { type HitSource, type Measure, type RollUp, visitorsIf } from './source.js';

/** Hits that a list counts. */
export type CountedHits = 'all' | 'people' | 'bots';

/** A list of counts: the hits of a roll-up for each combination of some keys. */
export interface CountedList<Key extends string> {
  readonly rollUp: RollUp;
  /** Keys of the rows: names, and expressions over the roll-up's columns. Without keys there is one row if there are hits. */
  readonly keys: Readonly<Record<Key, string>>;
  readonly of: CountedHits;
  /** Whether to count visitors, too. Merging their states is most of the cost. Default: no. */
  readonly withVisitors?: boolean;
  /** Whether to weight hits by their sampling rate; `by_day` only. Default: no. */
  readonly withWeight?: boolean;
  /** Whether no roll-up has these keys. Default: no. */
  readonly hitByHit?: boolean;
  /** Parameters of the keys. */
  readonly params?: QueryParams;
}

/** Keys are texts; numbers are written in digits. */
export type CountedRow<Key extends string> = Readonly<Record<Key, string>> & {
  readonly hits: number;
  /** 0 unless the list counts visitors. */
  readonly uniqueVisitors: number;
  /** Undefined unless the list weights hits. */
  readonly weight?: number;
};

export interface HitCounter {
  /**
   * Returns the rows of a list in any order. Lists of one source and roll-up that are requested in the same turn of the
   * event loop are read with one statement. They show the same moment.
   */
  count<Key extends string>(source: HitSource, list: CountedList<Key>): Promise<CountedRow<Key>[]>;
}

/** Lists that one statement answers. */
interface Batch {
  readonly lists: CountedList<string>[];
  readonly answer: Promise<readonly (readonly CountedRow<string>[])[]>;
}

export function createHitCounter(select: AnalyticsRepository['select']): HitCounter {
  const open = new Map<string, Batch>();

  function batchOf(source: HitSource, list: CountedList<string>): Batch {
    const id = JSON.stringify([list.rollUp, list.hitByHit === true, source.hits, source.params]);
    const batch = open.get(id) ?? begin(id, source);
    open.set(id, batch);
    return batch;
  }

  function begin(id: string, source: HitSource): Batch {
    const lists: CountedList<string>[] = [];
    const answer = Promise.resolve().then(() => {
      open.delete(id);
      return readLists(select, source, lists);
    });
    return { lists, answer };
  }

  return {
    async count<Key extends string>(source: HitSource, list: CountedList<Key>) {
      const { lists, answer } = batchOf(source, list);
      const id = idOf(list);
      const known = lists.findIndex((other) => idOf(other) === id);
      const index = known < 0 ? lists.push(list) - 1 : known;
      return (await answer)[index] as CountedRow<Key>[];
    },
  };
}

const idOf = ({ keys, of, withVisitors = false, withWeight = false }: CountedList<string>) =>
  JSON.stringify([keys, of, withVisitors, withWeight]);

interface Row {
  readonly list: number;
  readonly key: readonly string[];
  readonly hits: number;
  readonly uniqueVisitors?: number;
  readonly weight?: number;
}

/**
 * Reads lists of one roll-up with one statement. It groups by the keys of all lists; each list then sums its groups.
 */
async function readLists(
  select: AnalyticsRepository['select'],
  source: HitSource,
  lists: readonly CountedList<string>[],
): Promise<CountedRow<string>[][]> {
  const rows = await select<Row>(sqlOf(source, lists), {
    ...source.params,
    ...Object.assign({}, ...lists.map(({ params }) => params)),
  });
  const rowsOf = lists.map((): CountedRow<string>[] => []);
  for (const { list, key, hits, uniqueVisitors = 0, weight = 0 } of rows) {
    const { keys = {}, withWeight = false } = lists[list] ?? {};
    const named = Object.fromEntries(Object.keys(keys).map((name, index) => [name, key[index] ?? '']));
    const row = { ...named, hits, uniqueVisitors, ...(withWeight && { weight }) };
    rowsOf[list]?.push(row as CountedRow<string>);
  }
  return rowsOf;
}

function sqlOf(source: HitSource, lists: readonly CountedList<string>[]): string {
  const [{ rollUp, hitByHit = false }] = lists as readonly [CountedList<string>];
  const names = namesOf(lists);
  const keyOf = ({ keys }: CountedList<string>) =>
    `[${Object.values(keys).map((expression) => `toString(${names.get(expression)})`)}]::Array(String)`;
  const withVisitors = lists.some((list) => list.withVisitors === true);
  const withWeight = lists.some((list) => list.withWeight === true);
  const measures: Measure[] = ['n'];
  const columns = ['list', `${choice(lists.map(keyOf))} AS key`, 'sum(n) AS hits'];
  if (withVisitors) {
    const isCounted = choice(lists.map((list) => (list.withVisitors === true ? '1' : '0')));
    measures.push('visitors');
    columns.push(`${visitorsIf(rollUp, isCounted)} AS uniqueVisitors`);
  }
  if (withWeight) {
    measures.push('weight');
    columns.push('sum(weight) AS weight');
  }
  const conditions = lists.map(({ of }) => CONDITION[of]);
  const groups = source.groups({
    rollUp,
    hitByHit,
    keys: Object.fromEntries([...names].map(([expression, name]) => [name, expression])),
    measures,
    where: [...new Set(conditions)].join(' OR '),
  });
  const isOfList = names.has('is_bot') ? choice(conditions) : '1';
  return `SELECT ${columns.join(', ')}
     FROM (${groups}) ARRAY JOIN range(${lists.length}) AS list WHERE ${isOfList} GROUP BY list, key`;
}

/** Names the keys of groups by their expressions. Lists may have keys in common. */
function namesOf(lists: readonly CountedList<string>[]): ReadonlyMap<string, string> {
  const expressions = new Set(lists.flatMap(({ keys }) => Object.values(keys)));
  const isOfSameHits = new Set(lists.map(({ of }) => of)).size === 1;
  if (!isOfSameHits || expressions.size === 0) expressions.add('is_bot');
  return new Map(
    [...expressions].map((expression, index) => [
      expression,
      expression === 'is_bot' ? expression : `key${index}`,
    ]),
  );
}

const CONDITION: Readonly<Record<CountedHits, string>> = {
  all: '1',
  people: 'is_bot = 0',
  bots: 'is_bot = 1',
};

/** Returns the expression of the list that a row belongs to. */
function choice(expressions: readonly string[]): string {
  const [first = '', ...others] = expressions;
  if (others.every((other) => other === first)) return first;
  const cases = expressions.slice(0, -1).map((expression, list) => `list = ${list}, ${expression}`);
  return `multiIf(${cases.join(', ')}, ${expressions.at(-1)})`;
}

export interface RecordedHits {
  /** Number of hits, including bots. */
  readonly recordedHits: number;
  /** Hits weighted by the traffic that they represent: 1 / sampling rate at their time. */
  readonly estimatedTotalHits: number;
}

export async function readRecorded(counter: HitCounter, source: HitSource): Promise<RecordedHits> {
  const list = { rollUp: 'by_day', keys: {}, of: 'all', withWeight: true } as const;
  const [{ hits, weight = 0 } = { hits: 0 }] = await counter.count(source, list);
  return { recordedHits: hits, estimatedTotalHits: Math.round(weight) };
}
