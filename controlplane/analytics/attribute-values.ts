import type { HitColumn } from '../../shared/hits/hit-columns.js';
import type { TextAttribute } from '../../shared/rules/attributes.js';
import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import { answerWithin } from './answer-within.js';
import { HITS_OF_PERIOD, hitFilterParams } from './hit-filter.js';
import { DAY_MS } from './period.js';

/** A value that visitors of a redirect had. */
export interface AttributeValue {
  readonly value: string;
  /** Recorded hits with it, bots' included. */
  readonly count: number;
}

/** Reads which values the recorded hits of the last 90 days have, the most frequent first, empty ones left out. */
export interface AttributeValuesReader {
  /**
   * @param limit the number of values at most, 1 to 1000
   * @throws AnalyticsStoreError when the store fails, or has not answered after two seconds
   */
  valuesOf(redirectId: string, attribute: TextAttribute, limit: number): Promise<readonly AttributeValue[]>;
  /** The same of all attributes at once, each of which has an entry. */
  allValuesOf(
    redirectId: string,
    limit: number,
  ): Promise<ReadonlyMap<TextAttribute, readonly AttributeValue[]>>;
}

const PERIOD_MS = 90 * DAY_MS;
/** Values are offered as a help to whoever writes a rule; rules can be written without. */
const TIMEOUT_MS = 2_000;

/** Where a hit keeps what it knows of a visitor's attribute. */
const COLUMNS: Readonly<Record<TextAttribute, HitColumn>> = {
  country: 'country',
  region: 'region',
  city: 'city',
  device_type: 'device_type',
  device_brand: 'device_brand',
  device_model: 'device_model',
  browser_name: 'browser_name',
  browser_version: 'browser_version',
  os_name: 'os_name',
  os_version: 'os_version',
  referrer: 'referrer',
  referrer_domain: 'referrer_domain',
  language: 'language',
  url_path: 'path',
  user_agent: 'user_agent',
};
const ATTRIBUTES = Object.keys(COLUMNS) as TextAttribute[];

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
    const endMs = clock().getTime();
    const filter = { redirectId, period: { startMs: endMs - PERIOD_MS, endMs } };
    // Column by column: the engine reads each of them once either way, and counts texts of one at a time faster.
    const query = store.query<ValueRow>(
      `SELECT * FROM (${attributes.map(frequentValues).join(' UNION ALL ')}) ORDER BY count DESC, value`,
      { ...hitFilterParams(filter), limit },
    );
    const rows = await answerWithin(timeoutMs, query);
    return new Map(attributes.map((attribute) => [attribute, valuesIn(rows, attribute)]));
  }

  return {
    async valuesOf(redirectId, attribute, limit) {
      const values = await read(redirectId, [attribute], limit);
      return values.get(attribute) ?? [];
    },
    allValuesOf: (redirectId, limit) => read(redirectId, ATTRIBUTES, limit),
  };
}

function frequentValues(attribute: TextAttribute): string {
  const column = COLUMNS[attribute];
  return `(SELECT '${attribute}' AS attribute, ${column} AS value, count() AS count
    FROM hits WHERE ${HITS_OF_PERIOD} AND ${column} != ''
    GROUP BY value ORDER BY count DESC, value LIMIT {limit:UInt32})`;
}

function valuesIn(rows: readonly ValueRow[], of: TextAttribute): AttributeValue[] {
  return rows.filter(({ attribute }) => attribute === of).map(({ value, count }) => ({ value, count }));
}
