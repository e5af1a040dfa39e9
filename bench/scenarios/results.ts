import type { TlsVisitKind } from '../load/tls-visits.js';
import type { ReplayCost } from '../replay/replay-process.js';
import type { DecisionCost } from '../rules/decision-cost.js';

/** Members of every row of `--json`, which is plain data. `null` means that the scenario does not measure the value. */
export interface ResultRow {
  readonly scenario: string;
  /** The measured server: `waymark`, a peer, or waymark in another state (named after the comma). */
  readonly server: string;
  /** User and system time of all its processes, as the operating system counts it, by requests answered. */
  readonly cpuUsPerRequest: number | null;
  readonly requestsPerSecond: number | null;
  /** Median at a fixed rate, counted from the moment when a request was due. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly rssMiB: number | null;
  /** CPU time per request, by that of the peer in the same round. */
  readonly ratioToNginx: number | null;
  readonly ratioToUws: number | null;
}

/** A row that measures nothing yet. */
export function emptyRow(scenario: string, server = 'waymark'): ResultRow {
  return {
    scenario,
    server,
    cpuUsPerRequest: null,
    requestsPerSecond: null,
    p50Ms: null,
    p99Ms: null,
    rssMiB: null,
    ratioToNginx: null,
    ratioToUws: null,
  };
}

/** One round of one server, under as much load as it answers. */
export interface Round {
  readonly requests: number;
  readonly cpuUsPerRequest: number;
  readonly requestsPerSecond: number;
  /** Median of a saturated server. It follows from connections and throughput. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Medians of a server's rounds. Ratios are medians too, of CPU time per request against a peer's same round. */
export interface ServerResult extends ResultRow {
  /** Name of the load generator. */
  readonly load: string;
  readonly connections: number;
  readonly hosts: number;
  readonly rulesPerHost: number;
  readonly samplingRate: number;
  /** Destination of recorded hits. */
  readonly sink: 'kafka' | 'counting' | null;
  readonly cpuUsPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Rate at which the latencies were taken. */
  readonly fixedRequestsPerSecond: number;
  /** Resident memory after the last round. */
  readonly rssMiB: number;
  /** Memory in use after a garbage collection; `null` for servers without one. */
  readonly memoryInUseMiB: number | null;
  readonly startSeconds: number;
  readonly ratioToRules10?: number | null;
  readonly ratioToHosts1k?: number | null;
  readonly ratioToPlain?: number | null;
  readonly ratioToExact?: number | null;
  readonly bytesPerHost?: number;
  /** Time from the start of the process to its first answer, with nothing but the snapshot on disk. */
  readonly coldStartSeconds?: number;
  /** Memory of the compiled redirects with rules, beyond that of the same number of hosts without rules. */
  readonly rulesMiB?: number;
  /** Answers whose status and location were compared, before and during the rounds. */
  readonly answersChecked: number;
  readonly rounds: readonly Round[];
}

/** Latency of visitors while other work runs. */
export interface DisturbanceResult extends ResultRow {
  readonly state: string;
  /** The p99 by that of the quiet rounds. */
  readonly ratioToQuiet: number;
  readonly failedRequests: number;
}

/** Latency of visitors while dashboards query statistics. */
export interface StallResult extends DisturbanceResult {
  /** Rows of the redirect that the queries run over. */
  readonly storedHits: number;
  /** Queries answered meanwhile, and their median duration (`null` of none). */
  readonly queries: number;
  readonly queryMs: number | null;
}

/** Latency of visitors while rules change. */
export interface UpdatesResult extends DisturbanceResult {
  readonly changesPerSecond: number;
}

/** Time from a change to its first visitor. */
export interface PropagationResult extends ResultRow {
  readonly database: 'postgresql' | 'embedded';
  readonly rulesets: 'redis' | 'in-process';
  readonly changes: number;
  /**
   * Start of `p50Ms` and `p99Ms`: the commit where the database records its time, otherwise the start of the
   * transaction.
   */
  readonly measuredFrom: 'commit' | 'start of the transaction';
  readonly p50FromStartMs: number;
  readonly p99FromStartMs: number;
}

/** Work of Redis for many data planes. `p50Ms` and `p99Ms` are until the last data plane has a change. */
export interface FanOutResult extends ResultRow {
  readonly dataplanes: number;
  readonly redirects: number;
  /** Time to the first data plane that has a change. */
  readonly firstP50Ms: number;
  readonly redisKibPerChange: number;
  readonly redisCpuMsPerChange: number;
  readonly idleCommandsPerSecond: number;
  /** Share of one core. */
  readonly idleRedisCpuShare: number;
  readonly coldSeconds: number;
  readonly coldMib: number;
  readonly reconnectSeconds: number;
  readonly reconnectMib: number;
  readonly reconnectRedisCpuSeconds: number;
}

/** Cost of ingest per hit. */
export interface IngestResult extends ResultRow {
  /** Whether the engine is in the process that stores hits, or in a separate one, like ClickHouse. */
  readonly store: 'embedded' | 'server';
  readonly from: 'kafka' | 'intake';
  readonly hits: number;
  /** `null` where they come through Kafka. */
  readonly batches: number | null;
  /** CPU time of the storing process, including the engine if it is embedded. */
  readonly cpuUsPerHit: number;
  readonly hitsPerSecondPerCore: number;
  readonly hitsPerSecond: number;
}

/** Cost of an API answer. */
export interface ControlPlaneResult extends ResultRow {
  readonly database: 'postgresql' | 'embedded';
  readonly endpoint: string;
  readonly redirects: number;
  readonly requestsPerSecondPerCore: number;
  readonly answersChecked: number;
}

/** Cost of deciding among a number of rules. */
export interface RuleResult extends ResultRow, DecisionCost {}

/** Cost of judging recorded visits. */
export interface ReplayResult extends ResultRow, Omit<ReplayCost, 'rssMiB'> {
  readonly visitsPerSecondPerCore: number;
}

/** Latencies beside a replay and in quiet rounds: medians over the rounds. Ratios are those of p99s, round by round. */
export interface BesideReplayResult extends ResultRow {
  readonly visitorsP99Ms: number;
  readonly visitorsQuietP99Ms: number;
  readonly visitorsP99Ratio: number;
  readonly apiP99Ms: number;
  readonly apiQuietP99Ms: number;
  readonly apiP99Ratio: number;
  /** Visits that were judged while visitors were answered. */
  readonly judgedBesideVisitors: number;
}

/** Response times of a statistics endpoint, measured at its caller. */
export interface EndpointResult extends ResultRow {
  /** Below the redirect; that of the first row is `slowest`. */
  readonly endpoint: string;
  /** User and system time of the whole product for an answer. */
  readonly cpuMs: number;
  readonly p95Ms: number;
  readonly goalMs: number;
  /** Hits of the redirect in question, and of the whole table. */
  readonly hitsOfRedirect: number;
  readonly hits: number;
}

/** The endpoints that are timed with very many redirects. */
export type TimedEndpoint = 'list' | 'read' | 'create' | 'update' | 'user' | 'rules';

/** `listP50Ms`, `listP95Ms`, `listP99Ms`, `listP95RatioTo1k` and so on, from a caller who calls one after another. */
export type EndpointFigures = {
  readonly [K in `${TimedEndpoint}${'P50Ms' | 'P95Ms' | 'P99Ms' | 'P95RatioTo1k'}`]: number;
};

/** Figures of the whole product with very many redirects. Memory of a role is the sum over its processes. */
export interface MillionResult extends ResultRow, EndpointFigures {
  readonly redirects: number;
  /** Load average of the machine before the scenario. Above 1, other processes slow the figures down. */
  readonly loadAverage: number;
  /** Time from the first start of both roles, with nothing in Redis or on disk. */
  readonly readySeconds: number;
  readonly firstVisitorSeconds: number;
  /** Processor time by then. */
  readonly startCpuSeconds: number;
  readonly dataplaneStartCpuSeconds: number;
  readonly controlplanePeakMiB: number;
  readonly dataplaneMiB: number;
  readonly dataplanePeakMiB: number;
  readonly redisMiB: number;
  readonly redisPeakMiB: number;
  readonly databaseMiB: number;
  readonly dataplaneRestartSeconds: number;
  readonly controlplaneRestartSeconds: number;
  readonly controlplaneRestartMiB: number;
  /** Rulesets written to Redis by a restart, which has to build nothing. */
  readonly restartSnapshots: number;
  readonly secondControlplaneSeconds: number;
  readonly secondControlplanePeakMiB: number;
  readonly secondDataplaneSeconds: number;
  readonly secondDataplanePeakMiB: number;
  /** Creations by 16 callers at a time, each answered when visitors are redirected. */
  readonly creates_per_s: number;
  /** Processor time of the control plane for each. */
  readonly createCpuMs: number;
  readonly updates_per_s: number;
  readonly updateCpuMs: number;
  readonly visitorP99Ms: number;
  readonly visitorP99MsWhileUpdating: number;
  readonly changes: number;
  /** Time from the commit to the first visitor who is answered by the change. */
  readonly propagationP50Ms: number;
  readonly propagationP99Ms: number;
}

/** Speed of bulk requests and imports, and their effect on visitors. */
export interface BulkImportResult extends ResultRow {
  readonly loadAverage: number;
  readonly bulkRows: number;
  readonly bulkRowsPerSecond: number;
  readonly importRows: number;
  readonly importRowsPerSecond: number;
  /** Time from the end of the import to the first visitor of its last row. */
  readonly lastRowServedSeconds: number;
  /** User and system time of the control plane for each imported row. */
  readonly cpuUsPerRow: number;
  readonly visitorP99Ms: number;
  readonly visitorP99MsWhileImporting: number;
  readonly ratioToQuiet: number;
}

/** Cost of a request over TLS. While workers are replaced only latencies are measured, and with many names only memory. */
export interface TlsResult extends ResultRow {
  readonly visits: TlsVisitKind;
  /** Connections reset before the handshake was complete, while workers were replaced. */
  readonly resets?: number;
}
