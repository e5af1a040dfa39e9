import type { ChildProcesses } from '../harness/child-processes.js';
import type { BenchRequest } from '../traffic/bench-request.js';

/** What servers are set up with; it travels to them as JSON. */
export interface ServerSetup {
  readonly hostCount: number;
  /** Of all redirects; servers that record nothing pass over it. */
  readonly samplingRate: number;
  /** A folder of the server's own, removed after it has ended. */
  readonly workFolder: string;
}

/** What a server that records hits says of them at its end. */
export interface HitAccount {
  /** Requests answered with a redirect. */
  readonly answered: number;
  /** Hits that sampling chose. */
  readonly recorded: number;
  /** Rows that the sink got. */
  readonly delivered: number;
  /** Hits given up, by the server's own count. */
  readonly dropped: number;
}

/** A server under measurement. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** Ends it in order; with what it says of its hits if it records any. */
  stop(): Promise<HitAccount | undefined>;
}

/** A server that can be measured. */
export interface ServerKind {
  readonly name: string;
  /** Why it cannot run here, in a few words; `undefined` when it can. */
  unavailable(): string | undefined;
  /** The one right `Location` for a request. */
  expectedLocation(request: BenchRequest): string;
  /** Starts it on a port of the loopback; resolves when it answers. */
  start(processes: ChildProcesses, cores: string, setup: ServerSetup): Promise<RunningServer>;
}
