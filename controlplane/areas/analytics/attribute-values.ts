import type { HitColumn } from '../../../shared/hits/hit-columns.js';
import type { TextAttribute } from '../../../shared/rules/attributes.js';
import { MASK } from '../../../shared/visitor/query-masking.js';
import { queryValues } from '../../../shared/visitor/query-values.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { answerWithin } from '../../storage/clickhouse/answer-within.js';
import { HITS_OF_PERIOD, hitFilterParams } from './hit-filters.js';
import { DAY_MS, type Period, startOfDay } from './period.js';
import { createHitSource, type HitSource, type RollUp } from './source.js';

/** A value that visitors of a redirect had. */
export interface AttributeValue {
  readonly value: string;
  /** Number of recorded hits with it, including bots. */
  readonly count: number;
}

/** Reads the values of hits from today and the 90 days before, the most frequent first, without empty ones. */
export interface AttributeValuesReader {
  /**
   * @param limit maximum number of values, 1 to 1000
   * @throws AnalyticsStoreError when the store fails, or has not answered after 1.5 s
   */
  valuesOf(redirectId: string, attribute: TextAttribute, limit: number): Promise<readonly AttributeValue[]>;
  /**
   * Returns values of a query parameter, decoded as conditions read it. Only single hits hold them, so the query reads
   * the newest hits with a query string. Omits masked values, because no visitor sent them.
   *
   * @param param the decoded name, case-sensitive
   * @param limit the number of values at most, 1 to 1000
   * @throws AnalyticsStoreError when the store fails, or has not answered after 1.5 s
   */
  valuesOfParam(redirectId: string, param: string, limit: number): Promise<readonly AttributeValue[]>;
  /**
   * Returns the values of all attributes, each of which has an entry.
   *
   * @param limit maximum number of values of each attribute, 1 to 1000
   * @throws AnalyticsStoreError when the store fails, or has not answered after 1.5 s
   */
  allValuesOf(
    redirectId: string,
    limit: number,
  ): Promise<ReadonlyMap<TextAttribute, readonly AttributeValue[]>>;
}

const DAYS_BEFORE = 90;
/** Hits that are read for the values of one query parameter: at most 2 KiB each. */
export const MAX_HITS_WITH_QUERY = 2_000;
/** Values only help to write a rule, so a failure is not an error. */
const TIMEOUT_MS = 1_500;

/** Column of an attribute in hits, and the roll-up by it. */
const COLUMNS: Readonly<Record<TextAttribute, readonly [column: HitColumn, rollUp: RollUp]>> = {
  country: ['country', 'by_country'],
  region: ['region', 'by_place'],
  city: ['city', 'by_place'],
  device_type: ['device_type', 'by_client'],
  device_brand: ['device_brand', 'by_device'],
  device_model: ['device_model', 'by_device'],
  browser_name: ['browser_name', 'by_client'],
  browser_version: ['browser_version', 'by_device'],
  os_name: ['os_name', 'by_device'],
  os_version: ['os_version', 'by_device'],
  referrer: ['referrer', 'by_referrer'],
  referrer_domain: ['referrer_domain', 'by_referrer'],
  language: ['language', 'by_language'],
  url_path: ['path', 'by_path_and_match'],
  user_agent: ['user_agent', 'by_user_agent'],
};
const ATTRIBUTES = Object.keys(COLUMNS) as TextAttribute[];

interface QueryRow {
  readonly query: string;
  readonly hits: number;
}

interface ValueRow extends AttributeValue {
  readonly attribute: TextAttribute;
}

export interface AttributeValuesReaderOptions {
  readonly clock?: () => Date;
  readonly timeoutMs?: number;
}

export function createAttributeValuesReader(
  store: AnalyticsStore,
  options: AttributeValuesReaderOptions = {},
): AttributeValuesReader {
  const { clock = () => new Date(), timeoutMs = TIMEOUT_MS } = options;

  async function read(redirectId: string, attributes: readonly TextAttribute[], limit: number) {
    const source = createHitSource({ redirectId, period: wholeDaysTo(clock()) });
    const lists = attributes.map((attribute) => frequentValues(source, attribute));
    const query = store.query<ValueRow>(
      `SELECT * FROM (${lists.join(' UNION ALL ')}) ORDER BY count DESC, value`,
      { ...source.params, limit },
      { withinMs: timeoutMs },
    );
    const rows = await answerWithin(timeoutMs, query);
    return new Map(attributes.map((attribute) => [attribute, valuesIn(rows, attribute)]));
  }

  return {
    async valuesOf(redirectId, attribute, limit) {
      const values = await read(redirectId, [attribute], limit);
      return values.get(attribute) ?? [];
    },
    async valuesOfParam(redirectId, param, limit) {
      const query = store.query<QueryRow>(
        `SELECT query, count() AS hits FROM (
           SELECT query FROM hits WHERE ${HITS_OF_PERIOD} AND query != ''
           ORDER BY timestamp DESC LIMIT {newest:UInt32}
         ) GROUP BY query`,
        { ...hitFilterParams({ redirectId, period: wholeDaysTo(clock()) }), newest: MAX_HITS_WITH_QUERY },
        { withinMs: timeoutMs },
      );
      return mostFrequent(await answerWithin(timeoutMs, query), param, limit);
    },
    allValuesOf: (redirectId, limit) => read(redirectId, ATTRIBUTES, limit),
  };
}

/** Returns a period of whole days. All hits then come from roll-ups. */
function wholeDaysTo(now: Date): Period {
  const todayMs = startOfDay(now.getTime());
  return { startMs: todayMs - DAYS_BEFORE * DAY_MS, endMs: todayMs + DAY_MS - 1 };
}

function frequentValues(source: HitSource, attribute: TextAttribute): string {
  const [column, rollUp] = COLUMNS[attribute];
  const hits = source.groups({
    rollUp,
    keys: { value: column },
    measures: ['n'],
    where: `${column} != ''`,
  });
  return `(SELECT '${attribute}' AS attribute, value, sum(n) AS count
    FROM (${hits}) GROUP BY value ORDER BY count DESC, value LIMIT {limit:UInt32})`;
}

/** A hit counts once for each of its values. */
function mostFrequent(rows: readonly QueryRow[], param: string, limit: number): AttributeValue[] {
  const counts = new Map<string, number>();
  for (const { query, hits } of rows) {
    for (const value of new Set(queryValues(query, param))) {
      if (value !== '' && !value.endsWith(MASK)) counts.set(value, (counts.get(value) ?? 0) + hits);
    }
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, limit);
}

function valuesIn(rows: readonly ValueRow[], of: TextAttribute): AttributeValue[] {
  return rows.filter(({ attribute }) => attribute === of).map(({ value, count }) => ({ value, count }));
}
