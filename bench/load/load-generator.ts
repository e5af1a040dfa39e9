import type { ChildProcesses } from '../harness/child-processes.js';
import type { BenchRequest } from '../traffic/bench-request.js';

export interface LoadOptions {
  readonly port: number;
  /** Requested in this order. Each connection takes the next request of the list. */
  readonly requests: readonly BenchRequest[];
  /** Kept open throughout, one request at a time on each. */
  readonly connections: number;
  readonly seconds: number;
  /** Cores the generator is held to. */
  readonly cores: string;
  /** Folder for the generator's files. */
  readonly workFolder: string;
}

/** Result of one run of load. */
export interface LoadResult {
  /** Requests answered with a redirect, over all connections. */
  readonly completed: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends as many requests as the server answers. */
export interface LoadGenerator {
  readonly name: string;
  /** @throws when any request fails, times out or is answered with anything but a redirect */
  run(processes: ChildProcesses, options: LoadOptions): Promise<LoadResult>;
}
