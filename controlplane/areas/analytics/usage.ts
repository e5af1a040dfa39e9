import { LRUCache } from 'lru-cache';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { answerWithin, KEPT_ANSWER_LIMITS } from '../../storage/clickhouse/answer-within.js';
import { createGatheredReads } from '../../storage/postgres/gathered-reads.js';
import { fromRollUp } from './source.js';

/** Hits of one redirect in the current month (UTC). */
export interface MonthlyUsage {
  readonly recordedHits: number;
  /** Hits weighted by the sampling rate at their time, rounded. */
  readonly estimatedTotalHits: number;
}

export interface UsageReading {
  /** Usage by redirect. */
  readonly usage: ReadonlyMap<string, MonthlyUsage>;
  /** Unix time in milliseconds until which the result stays the same. */
  readonly freshUntilMs: number;
  /** Reason why some usage is outdated, or unknown and shown as zero. */
  readonly problem?: unknown;
}

export interface UsageReader {
  /**
   * Returns one entry for each of the ids, with zeros for those without hits. It is up to a second old. If the store
   * fails or is slow, it is the last known usage, with the reason in `problem`. While the store fails, calls do not
   * wait for it.
   */
  usageOf(redirectIds: readonly string[]): Promise<UsageReading>;
  /** Notes that hits of these redirects were stored. */
  noteHits(redirectIds: readonly string[]): void;
}

const MAX_AGE_MS = 1_000;
/** Maximum age of usage without new hits. It changes only when hits expire then. */
const MAX_AGE_WITHOUT_HITS_MS = 60_000;
/** Maximum wait for a store that answered the last time. */
const TIMEOUT_MS = 500;
/** Some 10 MB. */
const MAX_CACHED_REDIRECTS = 50_000;
/** Maximum duration of a statement. One user with very many hits must not delay all others. */
const MAX_QUERIES_AT_ONCE = 4;
/** The ids of a query are one parameter, of which a ClickHouse server accepts 128 KiB (`http_max_field_value_size`). */
const MAX_REDIRECTS_PER_QUERY = 5_000;
const NO_USAGE: MonthlyUsage = { recordedHits: 0, estimatedTotalHits: 0 };

interface UsageRow {
  readonly id: string;
  readonly hits: number;
  readonly estimated: number;
}

/** Usage as it was read. */
interface Known {
  readonly month: string;
  readonly usage: MonthlyUsage;
  readonly readAtMs: number;
  freshUntilMs: number;
}

const NOTHING: ReadonlyMap<string, Known> = new Map();

export interface UsageReaderOptions {
  readonly clock?: () => Date;
  /** Whether `noteHits` is called for all hits. Usage is then read again only after new hits. Default: no. */
  readonly hearsOfHits?: boolean;
  /** Maximum age of an answer. */
  readonly maxAgeMs?: number;
  readonly timeoutMs?: number;
}

/**
 * Reads how much of its monthly allowance each redirect has used. Concurrent calls share statements, and each
 * redirect is read once.
 */
export function createUsageReader(store: AnalyticsStore, options: UsageReaderOptions = {}): UsageReader {
  const {
    clock = () => new Date(),
    hearsOfHits = false,
    maxAgeMs = MAX_AGE_MS,
    timeoutMs = TIMEOUT_MS,
  } = options;
  const cache = new LRUCache<string, Known>({ max: MAX_CACHED_REDIRECTS });
  const underWay = new Map<string, Promise<Known | undefined>>();
  /** The redirects that got hits during each running query. */
  const hitsMeanwhile = new Set<Set<string>>();
  let problem: unknown;
  const currentMonth = () => clock().toISOString().slice(0, 7);

  async function readUsage(redirectIds: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const month = currentMonth();
    const withHits = new Set<string>();
    hitsMeanwhile.add(withHits);
    try {
      const rows = await readMonth(store, month, redirectIds);
      problem = undefined;
      const used = new Map(rows.map((row) => [row.id, usageIn(row)]));
      const readAtMs = Date.now();
      const knownOf = (id: string): Known => {
        const agesSoon = !hearsOfHits || withHits.has(id);
        const freshUntilMs = readAtMs + (agesSoon ? maxAgeMs : MAX_AGE_WITHOUT_HITS_MS);
        return { month, usage: used.get(id) ?? NO_USAGE, readAtMs, freshUntilMs };
      };
      const known = redirectIds.map((id) => [id, knownOf(id)] as const);
      for (const [id, usage] of known) cache.set(id, usage);
      return new Map(known);
    } finally {
      hitsMeanwhile.delete(withHits);
    }
  }
  const reads = createGatheredReads(readUsage, {
    maxReadsAtOnce: MAX_QUERIES_AT_ONCE,
    maxKeysPerRead: MAX_REDIRECTS_PER_QUERY,
  });

  function refresh(id: string): Promise<Known | undefined> {
    const begun = underWay.get(id) ?? reads.read(id).finally(() => underWay.delete(id));
    underWay.set(id, begun);
    return begun;
  }

  function cached(id: string, month: string): Known | undefined {
    const known = cache.get(id);
    return known?.month === month ? known : undefined;
  }

  /** Waits for the store, unless it failed last time. Resolves to the usage that was read by then. */
  async function readAgain(redirectIds: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const arrived = new Map<string, Known>();
    const one = async (id: string) => {
      const known = await refresh(id);
      if (known !== undefined) arrived.set(id, known);
    };
    const fail = (error: unknown) => {
      problem = error;
    };
    const all = Promise.all(redirectIds.map(one));
    all.catch(fail);
    if (problem === undefined) await answerWithin(timeoutMs, all).catch(fail);
    return arrived;
  }

  return {
    async usageOf(redirectIds) {
      const monthThen = currentMonth();
      const isFresh = (id: string) => Date.now() < (cached(id, monthThen)?.freshUntilMs ?? 0);
      const stale = redirectIds.filter((id) => !isFresh(id));
      const arrived = stale.length === 0 ? NOTHING : await readAgain(stale);
      // A question of one month may be answered in the next one. Then the answer does not apply.
      const month = currentMonth();
      const usage = new Map<string, MonthlyUsage>();
      let freshUntilMs = Date.now() + maxAgeMs;
      for (const id of redirectIds) {
        const read = arrived.get(id);
        const known = read?.month === month ? read : cached(id, month);
        usage.set(id, known?.usage ?? NO_USAGE);
        freshUntilMs = Math.min(freshUntilMs, known?.freshUntilMs ?? 0);
      }
      return { usage, freshUntilMs, ...(problem !== undefined && { problem }) };
    },

    noteHits(redirectIds) {
      for (const id of redirectIds) {
        const known = cache.peek(id);
        if (known !== undefined) known.freshUntilMs = Math.min(known.freshUntilMs, known.readAtMs + maxAgeMs);
        for (const withHits of hitsMeanwhile) withHits.add(id);
      }
    },
  };
}

function readMonth(
  store: AnalyticsStore,
  month: string,
  redirectIds: readonly string[],
): Promise<UsageRow[]> {
  return store.query<UsageRow>(
    `SELECT * FROM (
       SELECT redirect_id AS id, count() AS hits, sum(1 / sampling_rate) AS estimated
       FROM hits
       WHERE redirect_id IN {redirects:Array(String)}
         AND toDate(timestamp) >= {from:Date} AND toDate(timestamp) < addMonths({from:Date}, 1)
       GROUP BY redirect_id
       ${fromRollUp('by_day')}
     )`,
    { redirects: redirectIds, from: `${month}-01` },
    KEPT_ANSWER_LIMITS,
  );
}

function usageIn({ hits, estimated }: UsageRow): MonthlyUsage {
  return { recordedHits: hits, estimatedTotalHits: Math.round(estimated) };
}
