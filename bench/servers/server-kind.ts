import type { ChildProcesses } from '../harness/child-processes.js';
import type { BenchRequest } from '../traffic/bench-request.js';
import type { RuledTraffic } from '../traffic/ruled-traffic.js';
import type { BenchCertificate } from './bench-certificate.js';

/** The redirects of a server and the traffic to them. Servers without rules ignore the rules. */
export interface RedirectPlan extends RuledTraffic {
  readonly hostCount: number;
  /** Sampling rate of all redirects. Servers that record nothing ignore it. */
  readonly samplingRate: number;
  /** Entries of the table of paths that each host has; absent for no table. */
  readonly pathsPerHost?: number;
  /** Whether the hosts are wildcards, and visitors ask for names below them. */
  readonly areWildcards?: true;
  /**
   * JSON list of the fingerprints of stored certificates, for the first hosts. Further hosts name certificates that are
   * not stored. Absent: hosts name none.
   */
  readonly fingerprintsFile?: string;
}

/** Kafka topic for hits. */
export interface KafkaTopic {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** Set-up of a server, sent to it as JSON. */
export interface ServerSetup {
  readonly redirects: RedirectPlan;
  /** The server's own folder, removed after it has ended. */
  readonly workFolder: string;
  /** Whether the server gets no redirects and uses only the data that an earlier run left in the folder. */
  readonly startsFromDisk?: boolean;
  /** Serves TLS with this certificate. Default: no TLS. */
  readonly certificate?: BenchCertificate;
  /** Topic of the hits. Without it, hits go to the benchmark, which counts them. */
  readonly kafka?: KafkaTopic;
}

/** Final account of a server that records hits. */
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
  /** Time from the start of its process to its first answer. */
  readonly startSeconds: number;
  /** Memory in use after a garbage collection, in MiB; absent for servers without one. */
  memoryInUseMiB?(): Promise<number>;
  /** Stops the server gracefully. Resolves to its hit counts if it records any. */
  stop(): Promise<HitAccount | undefined>;
}

/** A server that can be measured. */
export interface ServerKind {
  readonly name: string;
  /** Returns why the server cannot run here, or undefined if it can. */
  unavailable(): string | undefined;
  /** The right `Location`s for a request: one of them. */
  rightLocations(request: BenchRequest): readonly string[];
  /** Starts it on a port of the loopback; resolves when it answers. */
  start(processes: ChildProcesses, cores: string, setup: ServerSetup): Promise<RunningServer>;
}
