import type { TlsVisitKind } from '../load/tls-visits.js';

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
  /** Queries answered during the round, and their median duration (`null` without queries). */
  readonly queries: number;
  readonly queryMs: number | null;
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

/** Cost of a request over TLS. While workers are replaced only latencies are measured, and with many names only memory. */
export interface TlsResult extends ResultRow {
  readonly visits: TlsVisitKind;
  /** Connections reset before the handshake was complete, while workers were replaced. */
  readonly resets?: number;
}
