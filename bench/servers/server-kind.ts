import type { ChildProcesses } from '../harness/child-processes.js';
import type { BenchRequest } from '../traffic/bench-request.js';
import type { RuledTraffic } from '../traffic/ruled-traffic.js';

/** The redirects that servers are set up with, and who asks for them. Those that know no rules pass over them. */
export interface RedirectPlan extends RuledTraffic {
  readonly hostCount: number;
  /** Of all redirects; servers that record nothing pass over it. */
  readonly samplingRate: number;
}

/** Where hits go in Kafka. */
export interface KafkaTopic {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** What servers are set up with; it travels to them as JSON. */
export interface ServerSetup {
  readonly redirects: RedirectPlan;
  /** A folder of the server's own, removed after it has ended. */
  readonly workFolder: string;
  /** The redirects are not given: what an earlier run has left in the folder is all there is. */
  readonly startsFromDisk?: boolean;
  /** Without it hits go to the benchmark, which counts them. */
  readonly kafka?: KafkaTopic;
}

/** What a server that records hits says of them at its end. */
export interface HitAccount {
  /** Requests answered with a redirect. */
  readonly answered: number;
  /** Hits that sampling chose. */
  readonly recorded: number;
  /** Hits that the sink got. */
  readonly delivered: number;
  /** Hits given up, by the server's own count. */
  readonly dropped: number;
  /** Hits that wait on disk for the next start. */
  readonly spooled: number;
}

/** A server under measurement. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** From the start of its process until it answers. */
  readonly startSeconds: number;
  /** What is in use after a garbage collection, in MiB; absent where there is none. */
  memoryInUseMiB?(): Promise<number>;
  /** Ends it in order; with what it says of its hits if it records any. */
  stop(): Promise<HitAccount | undefined>;
}

/** A server that can be measured. */
export interface ServerKind {
  readonly name: string;
  /** Why it cannot run here, in a few words; `undefined` when it can. */
  unavailable(): string | undefined;
  /** The right `Location`s for a request: one of them. */
  rightLocations(request: BenchRequest): readonly string[];
  /** Starts it on a port of the loopback; resolves when it answers. */
  start(processes: ChildProcesses, cores: string, setup: ServerSetup): Promise<RunningServer>;
}
