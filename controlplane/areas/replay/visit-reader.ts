import type { AnalyticsStore, QueryLimits, QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { VersionMarks } from '../history/public.js';
import type { NeededFacts } from './needed-columns.js';
import { EXPRESSIONS, type GroupColumn, type VisitExample, type VisitGroup } from './visit-group.js';

/** A period of time. Unix milliseconds; the end does not belong to it. */
export interface Slice {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Recorded visits of a period. */
export interface VisitTotals {
  readonly visits: number;
  /** Each visit weighed with the traffic that it stands for: 1 / sampling rate at its time. */
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
  /** Returns the visits of a slice in groups, as lines of JSON. */
  groups(slice: Slice, facts: NeededFacts, reading: Reading): Promise<Buffer>;
}

/** The way in which visits of a slice are read. */
export interface Reading {
  /** Share of the visits to read, 0 to 1. */
  readonly share: number;
  /** False: each visit is a group. Where hardly two are equal, that halves the work of the engine. */
  readonly isGrouped: boolean;
}

/** Visits of one statement, so that its memory and its answer are bounded. */
const VISITS_PER_SLICE = 25_000;
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
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
/** Clocks of all time zones differ by a multiple of this. */
const CLOCK_STEP_MS = 900_000;
const SAMPLE_STEPS = 1_000_000;
/** Stands for draws below the first bound: 0 stands for no draw. */
const LEAST_DRAW = Number.MIN_VALUE;

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

  async function counts(period: Slice, stepMs: number): Promise<{ startMs: number; visits: number }[]> {
    return select(
      `SELECT intDiv(toUnixTimestamp64Milli(timestamp), {step:Int64}) * {step:Int64} AS startMs, count() AS visits
       FROM hits WHERE ${OF_SLICE} GROUP BY startMs ORDER BY startMs`,
      { ...paramsOf(period), step: stepMs },
    );
  }

  /** Cuts a period between steps of time; a step with too many visits is cut again. */
  async function cut(period: Slice, stepMs: number, most: number): Promise<Slice[]> {
    const slices: Slice[] = [];
    let fromMs = period.fromMs;
    let reached = 0;
    const close = (toMs: number) => {
      if (reached > 0) slices.push({ fromMs, toMs });
      fromMs = toMs;
      reached = 0;
    };
    for (const { startMs, visits } of await counts(period, stepMs)) {
      const step = {
        fromMs: Math.max(startMs, period.fromMs),
        toMs: Math.min(startMs + stepMs, period.toMs),
      };
      if (reached + visits > most) close(step.fromMs);
      if (visits > most && stepMs > SECOND_MS) {
        slices.push(...(await cut(step, SECOND_MS, most)));
        fromMs = step.toMs;
      } else reached += visits;
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
        // Few rulesets are told apart before their bounds are looked up.
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
      const cuts = turningPoints.filter((time) => time > period.fromMs && time < period.toMs);
      const slices: Slice[] = [];
      for (const [index, fromMs] of [period.fromMs, ...cuts].entries()) {
        slices.push(...(await cut({ fromMs, toMs: cuts[index] ?? period.toMs }, HOUR_MS, most)));
      }
      return slices;
    },

    groups(slice, facts, { share, isGrouped }) {
      const { sql, params } = keysOf(facts);
      const example = `(toUnixTimestamp64Milli(timestamp), ${seenOf(facts)})`;
      const weights = isGrouped
        ? ', sum(1 / sampling_rate), sum(pow(sampling_rate, -2))'
        : ', 1 / sampling_rate, pow(sampling_rate, -2)';
      const counts = `${isGrouped ? `count(), any(${example})` : `1, ${example}`}${facts.isWeighted ? weights : ''}`;
      const sampled =
        share >= 1 ? '1' : 'cityHash64(producer_id, ordinal) % {steps:UInt32} < {chosen:UInt32}';
      return store.queryLines(
        `SELECT (${sql}, ${counts}) AS facts FROM hits WHERE ${OF_SLICE} AND ${sampled}${isGrouped ? ` GROUP BY ${sql}` : ''}`,
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

const ALWAYS = ['rule_id', 'variant', 'destination_url', 'status_code', 'query_recording'] as const;

/** Returns the expressions by which visits are grouped: those of `ALWAYS`, of the columns, and of the clock. */
function keysOf({ columns, needsClock, drawBounds }: NeededFacts): { sql: string; params: QueryParams } {
  const keys = [
    ...ALWAYS,
    ...columns.map((column) => (column === 'draw' ? DRAW : (EXPRESSIONS[column] ?? column))),
  ];
  if (needsClock) keys.push(`intDiv(toUnixTimestamp64Milli(timestamp), ${CLOCK_STEP_MS})`);
  return { sql: keys.join(', '), params: columns.includes('draw') ? { bounds: drawBounds.map(bitsOf) } : {} };
}

/** Columns of examples. Those that visits are grouped by are known of the group. */
function seenOf({ columns }: NeededFacts): string {
  const seen = ['path', 'country', 'device_type'] as const;
  return seen.map((column) => (columns.includes(column) ? `''` : column)).join(', ');
}

/** 0 for no draw, otherwise 1 and the number of bounds that are not above the draw. */
const DRAW = `if(draw = 0, 0, 1 + arrayCount(bound -> reinterpretAsFloat64(toUInt64(bound)) <= draw, {bounds:Array(String)}))`;

/** The bits of a number, since the engine may read its decimal form as a neighbour. */
function bitsOf(number: number): string {
  return String(new BigUint64Array(Float64Array.of(number).buffer)[0]);
}

type Fact = string & number & Seen;
type Facts = readonly (Fact | undefined)[];

const NOTHING_SEEN: Seen = [0, '', '', ''];

/** Parses whole lines of `groups` at once, which takes half the time of one after the other. */
export function factsOf(lines: string): readonly { readonly facts: Facts }[] {
  // Line ends within texts are escaped.
  return JSON.parse(`[${lines.replaceAll('\n', ',')}]`);
}

/** Returns a function that makes a group of its facts. It is the same object each time, with other members. */
export function groupReader(
  { columns, needsClock, drawBounds, isWeighted = false }: NeededFacts,
  slice: Slice,
) {
  const clockAt = ALWAYS.length + columns.length;
  const countAt = clockAt + (needsClock ? 1 : 0);
  const places = new Map(columns.map((column, index) => [column, ALWAYS.length + index]));
  const at = (column: GroupColumn) => places.get(column) ?? -1;
  const [draw, path, query, referrer, language] = [
    at('draw'),
    at('path'),
    at('query'),
    at('referrer'),
    at('language'),
  ];
  const [agent, address, country, region, city] = [
    at('user_agent'),
    at('ip_address'),
    at('country'),
    at('region'),
    at('city'),
  ];
  const [type, brand, model] = [at('device_type'), at('device_brand'), at('device_model')];
  const [browser, browserVersion, os, osVersion] = [
    at('browser_name'),
    at('browser_version'),
    at('os_name'),
    at('os_version'),
  ];
  const [unparsed, visitor, host] = [at('unparsed_agent'), at('visitor'), at('requested_host')];
  const drawOf = (place = 0) => (place === 0 ? 0 : (drawBounds[place - 2] ?? LEAST_DRAW));

  const group = new ReusedGroup();

  return (facts: Facts): VisitGroup => {
    const visits = facts[countAt] ?? 0;
    group.visits = visits;
    group.weight = isWeighted ? (facts[countAt + 2] ?? 0) : visits;
    group.squares = isWeighted ? (facts[countAt + 3] ?? 0) : visits;
    group.timeMs = needsClock ? Math.max((facts[clockAt] ?? 0) * CLOCK_STEP_MS, slice.fromMs) : slice.fromMs;
    group.rule_id = facts[0] ?? 0;
    group.variant = facts[1] ?? '';
    group.destination_url = facts[2] ?? '';
    group.status_code = facts[3] ?? 0;
    group.query_recording = (facts[4] ?? '') as VisitGroup['query_recording'];
    // Columns that were not read stay undefined. An index of -1 would be looked up as a name, which takes a microsecond in all.
    if (draw >= 0) group.draw = drawOf(facts[draw]);
    if (path >= 0) group.path = facts[path];
    if (query >= 0) group.query = facts[query];
    if (referrer >= 0) group.referrer = facts[referrer];
    if (language >= 0) group.language = facts[language];
    if (agent >= 0) group.user_agent = facts[agent];
    if (address >= 0) group.ip_address = facts[address];
    if (country >= 0) group.country = facts[country];
    if (region >= 0) group.region = facts[region];
    if (city >= 0) group.city = facts[city];
    if (type >= 0) group.device_type = facts[type];
    if (brand >= 0) group.device_brand = facts[brand];
    if (model >= 0) group.device_model = facts[model];
    if (browser >= 0) group.browser_name = facts[browser];
    if (browserVersion >= 0) group.browser_version = facts[browserVersion];
    if (os >= 0) group.os_name = facts[os];
    if (osVersion >= 0) group.os_version = facts[osVersion];
    if (unparsed >= 0) group.unparsed_agent = facts[unparsed];
    if (visitor >= 0) group.visitor = facts[visitor];
    if (host >= 0) group.requested_host = facts[host];
    group.seen = facts[countAt + 1] ?? NOTHING_SEEN;
    return group;
  };
}

type Seen = readonly [timeMs: number, path: string, country: string, deviceType: string];

/** A group whose members the next one overwrites: a replay reads millions. */
class ReusedGroup implements VisitGroup {
  visits = 0;
  weight = 0;
  squares = 0;
  timeMs = 0;
  rule_id = 0;
  variant = '';
  destination_url = '';
  status_code = 0;
  query_recording: VisitGroup['query_recording'] = '';
  draw: number | undefined = 0;
  path: string | undefined = undefined;
  query: string | undefined = undefined;
  referrer: string | undefined = undefined;
  language: string | undefined = undefined;
  user_agent: string | undefined = undefined;
  ip_address: string | undefined = undefined;
  country: string | undefined = undefined;
  region: string | undefined = undefined;
  city: string | undefined = undefined;
  device_type: string | undefined = undefined;
  device_brand: string | undefined = undefined;
  device_model: string | undefined = undefined;
  browser_name: string | undefined = undefined;
  browser_version: string | undefined = undefined;
  os_name: string | undefined = undefined;
  os_version: string | undefined = undefined;
  unparsed_agent: string | undefined = undefined;
  visitor: string | undefined = undefined;
  requested_host: string | undefined = undefined;
  seen: Seen = NOTHING_SEEN;

  /** A new object, which may be kept. */
  get example(): VisitExample {
    const [timeMs, path, country, deviceType] = this.seen;
    return {
      timeMs,
      path: this.path ?? path,
      country: this.country ?? country,
      deviceType: this.device_type ?? deviceType,
    };
  }
}
