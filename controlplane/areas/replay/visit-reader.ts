import type { AnalyticsStore, QueryLimits, QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { VersionMarks } from '../history/public.js';
import { groupColumns } from './group-columns.js';
import type { NeededFacts } from './needed-columns.js';
import type { GroupColumn } from './visit-group.js';

/** A period of time. Unix milliseconds; the end does not belong to it. */
export interface Slice {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Recorded visits of a period. */
export interface VisitTotals {
  readonly visits: number;
  /** Weight of each visit: the traffic that it represents, 1 / sampling rate at its time. */
  readonly estimated: number;
  /** Whether some of the traffic was not recorded. */
  readonly isSampled: boolean;
}

/** Reads recorded visits of one redirect. */
export interface VisitReader {
  totals(period: Slice): Promise<VisitTotals>;
  /** Counts the visits of a period by the version of the redirect that answered; `null` where that is not known. */
  byVersion(period: Slice, marks: VersionMarks): Promise<ReadonlyMap<number | null, number>>;
  /** Cuts a period into slices of a bounded number of visits, also at the turning points of a definition. */
  slices(period: Slice, facts: NeededFacts): Promise<Slice[]>;
  /** Returns the visits of a slice in groups, as blocks that `readGroups` reads. */
  groups(slice: Slice, facts: NeededFacts, reading: Reading): Promise<Buffer>;
}

/** The way in which visits of a slice are read. */
export interface Reading {
  /** Share of the visits to read, 0 to 1. */
  readonly share: number;
  /** False: each visit is a group. Where hardly two are equal, that halves the work of the engine. */
  readonly isGrouped: boolean;
}

/** Maximum visits per statement. Bounds its memory and its answer. */
const VISITS_PER_SLICE = 50_000;
/** Maximum bytes of long texts in its answer. Anybody can send visits with long URLs. */
const BYTES_PER_SLICE = 50_000_000;
/** The same where visits make few groups. */
const GROUPED_VISITS_PER_SLICE = 100_000;
/** Columns of which nearly every visit has another value. */
const UNIQUE: readonly GroupColumn[] = [
  'path',
  'query',
  'referrer',
  'user_agent',
  'visitor',
  'requested_host',
];
/** Columns of long texts that every answer has: see `groupColumns`. */
const LONG = ['destination_url', 'path'];
/** Further columns of long texts, by the column that needs them. */
const LONG_IF_NEEDED: Partial<Record<GroupColumn, string>> = {
  query: 'query',
  referrer: 'referrer',
  user_agent: 'user_agent',
  unparsed_agent: 'user_agent',
};
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
const SAMPLE_STEPS = 1_000_000;

const OF_SLICE = `redirect_id = {redirect:String} AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
  AND timestamp < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;

/** @param limits of each statement; the replay's user takes turns with others */
export function createVisitReader(
  store: AnalyticsStore,
  redirectId: string,
  limits: QueryLimits,
): VisitReader {
  const paramsOf = ({ fromMs, toMs }: Slice) => ({ redirect: redirectId, from: fromMs, to: toMs });
  const select = <Row extends object>(sql: string, params: QueryParams) =>
    store.query<Row>(sql, params, limits);

  /** Returns the sizes of steps of time that have visits. A size of 1 fills a slice. */
  async function sizes(
    period: Slice,
    stepMs: number,
    size: string,
  ): Promise<{ startMs: number; size: number }[]> {
    return select(
      `SELECT intDiv(toUnixTimestamp64Milli(timestamp), {step:Int64}) * {step:Int64} AS startMs, ${size} AS size
       FROM hits WHERE ${OF_SLICE} GROUP BY startMs ORDER BY startMs`,
      { ...paramsOf(period), step: stepMs },
    );
  }

  /** Cuts a period between steps of time; a step that is too large is cut again. */
  async function cut(period: Slice, stepMs: number, sizeOfStep: string): Promise<Slice[]> {
    const slices: Slice[] = [];
    let fromMs = period.fromMs;
    let reached = 0;
    const close = (toMs: number) => {
      if (reached > 0) slices.push({ fromMs, toMs });
      fromMs = toMs;
      reached = 0;
    };
    for (const { startMs, size } of await sizes(period, stepMs, sizeOfStep)) {
      const step = {
        fromMs: Math.max(startMs, period.fromMs),
        toMs: Math.min(startMs + stepMs, period.toMs),
      };
      if (reached + size > 1) close(step.fromMs);
      if (size > 1 && stepMs > SECOND_MS) {
        slices.push(...(await cut(step, SECOND_MS, sizeOfStep)));
        fromMs = step.toMs;
      } else reached += size;
    }
    close(period.toMs);
    return slices;
  }

  return {
    async totals(period) {
      const [row] = await select<VisitTotals>(
        `SELECT count() AS visits, toUInt64(round(sum(1 / sampling_rate))) AS estimated,
           countIf(sampling_rate < 1) > 0 AS "isSampled" FROM hits WHERE ${OF_SLICE}`,
        paramsOf(period),
      );
      return { visits: 0, estimated: 0, ...row, isSampled: Boolean(row?.isSampled) };
    },

    async byVersion(period, { rulesets, times, versionOf }) {
      const rows = await select<{ rulesets: number; times: number; visits: number }>(
        // Group by ruleset first, so the bounds are computed only once for each of few rulesets.
        `WITH splitByChar('.', toString(ruleset_version)) AS parts,
           toUInt64OrZero(parts[1]) AS epoch, toUInt64OrZero(parts[2]) AS seq
         SELECT arrayCount((e, s) -> toUInt64(e) < epoch OR (toUInt64(e) = epoch AND toUInt64(s) <= seq),
             {epochs:Array(String)}, {seqs:Array(String)}) AS rulesets,
           passed AS times, sum(found) AS visits
         FROM (SELECT ruleset_version, arrayCount(mark -> mark <= toUnixTimestamp64Milli(timestamp), {times:Array(Int64)}) AS passed,
             count() AS found FROM hits WHERE ${OF_SLICE} GROUP BY ruleset_version, passed)
         GROUP BY rulesets, times`,
        {
          ...paramsOf(period),
          epochs: rulesets.map(([epoch]) => epoch),
          seqs: rulesets.map(([, seq]) => seq),
          times,
        },
      );
      const counts = new Map<number | null, number>();
      for (const row of rows) {
        const version = versionOf(row.rulesets, row.times) ?? null;
        counts.set(version, (counts.get(version) ?? 0) + row.visits);
      }
      return counts;
    },

    async slices(period, { turningPoints, columns }) {
      const isUnique = columns.some((column) => UNIQUE.includes(column));
      const most = isUnique ? VISITS_PER_SLICE : GROUPED_VISITS_PER_SLICE;
      const texts = new Set([...LONG, ...columns.flatMap((column) => LONG_IF_NEEDED[column] ?? [])]);
      const bytes = [...texts].map((column) => `length(${column})`).join(' + ');
      const sizeOfStep = `greatest(count() / ${most}, sum(${bytes}) / ${BYTES_PER_SLICE})`;
      const cuts = turningPoints.filter((time) => time > period.fromMs && time < period.toMs);
      const slices: Slice[] = [];
      for (const [index, fromMs] of [period.fromMs, ...cuts].entries()) {
        slices.push(...(await cut({ fromMs, toMs: cuts[index] ?? period.toMs }, HOUR_MS, sizeOfStep)));
      }
      return slices;
    },

    groups(slice, facts, { share, isGrouped }) {
      const { select, keys, params } = groupColumns(facts, isGrouped);
      const sampled =
        share >= 1 ? '' : 'AND cityHash64(producer_id, ordinal) % {steps:UInt32} < {chosen:UInt32}';
      return store.queryBlocks(
        `SELECT ${select} FROM hits WHERE ${OF_SLICE} ${sampled}${isGrouped ? ` GROUP BY ${keys}` : ''}`,
        {
          ...paramsOf(slice),
          ...params,
          ...(share < 1 && { steps: SAMPLE_STEPS, chosen: Math.ceil(share * SAMPLE_STEPS) }),
        },
        limits,
      );
    },
  };
}
