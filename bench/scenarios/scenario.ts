import type { ChildProcesses } from '../harness/child-processes.js';
import type { ProcessorCores } from '../harness/processor-cores.js';
import type { LoadGenerator } from '../load/load-generator.js';
import type { DecisionCost } from '../rules/decision-cost.js';

/** What scenarios run with. */
export interface Bench {
  readonly quick: boolean;
  /** Hits to fill in, where a scenario is not to choose by itself. */
  readonly hits: number | undefined;
  readonly processes: ChildProcesses;
  readonly cores: ProcessorCores;
  readonly load: LoadGenerator;
  /** Removed at the end. */
  readonly workFolder: string;
  /** Tells a person who waits what goes on. */
  say(line: string): void;
}

/** One round of one server. */
export interface Round {
  readonly requests: number;
  readonly cpuUsPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Medians of a server's rounds. Ratios are medians too, of CPU time per request against a peer's same round. */
export interface ServerResult {
  readonly scenario: string;
  readonly server: string;
  /** Name of the load generator. */
  readonly load: string;
  readonly hosts: number;
  readonly connections: number;
  readonly samplingRate: number;
  readonly cpuUsPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** After the last round. */
  readonly rssMiB: number;
  /** `null` where the peer was not measured. */
  readonly ratioToNginx: number | null;
  readonly ratioToUws: number | null;
  /** Answers whose status and location were compared, before and during the rounds. */
  readonly answersChecked: number;
  readonly rounds: readonly Round[];
}

/** How visitors fare while something else goes on. */
export interface StallResult {
  readonly scenario: string;
  readonly server: string;
  readonly state: 'quiet' | 'under analytics';
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly ratioToQuiet: number;
  /** Rows of the redirect that the queries run over. */
  readonly storedHits: number;
  /** Queries answered meanwhile, and their median duration (`null` of none). */
  readonly queries: number;
  readonly queryMs: number | null;
}

/** What it costs to decide among so many rules. */
export interface RuleResult extends DecisionCost {
  readonly scenario: string;
}

/** How long an endpoint of the statistics takes, as its caller sees it. */
export interface EndpointResult {
  readonly scenario: string;
  /** Below the redirect. */
  readonly endpoint: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly goalMs: number;
  /** Of the redirect that is asked about, and in the whole table. */
  readonly hitsOfRedirect: number;
  readonly hits: number;
}

/** A result is plain data and goes to `--json` as it is. */
export type ScenarioResult = ServerResult | StallResult | RuleResult | EndpointResult;

export interface ScenarioOutcome {
  readonly results: readonly ScenarioResult[];
  /** The same for people, in Markdown: a table and what has to be said about it. */
  readonly report: string;
}

export interface Scenario {
  readonly name: string;
  readonly summary: string;
  /** Takes so long that it only runs when it is named. */
  readonly onRequest?: true;
  run(bench: Bench): Promise<ScenarioOutcome>;
}

export interface NamedOutcome extends ScenarioOutcome {
  readonly name: string;
  readonly summary: string;
}
