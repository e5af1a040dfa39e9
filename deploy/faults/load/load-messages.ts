/** Task of the load process. */
export interface LoadPlan {
  /** Ports of the data planes on the loopback. */
  readonly ports: readonly number[];
  /** Requests a second for each data plane, independent of its answers. */
  readonly requestsPerSecond: number;
  /** Number of hosts with a fixed destination. */
  readonly steadyHosts: number;
  /** Number of hosts whose destination changes and contains a counter. */
  readonly movingHosts: number;
  /** Text added to each query, to make hits large. */
  readonly paddingBytes: number;
}

/**
 * `up`: it must answer. `down`: it is requested as well, and failures are counted separately. `off`: it is not
 * requested; the mode begins when running requests are answered.
 */
export type PlaneMode = 'up' | 'down' | 'off';

/** One data plane, as its visitors see it. */
export interface PlaneStats {
  /** Number of received redirects. */
  readonly answered: number;
  /** Number of other answers and of unanswered requests, while it had to answer. */
  readonly failed: number;
  readonly failedWhileDown: number;
  /** Number of wrong answers: another `Location`, an older one than before, a 404. */
  readonly wrong: number;
  /** Number of unanswered requests, which may have been recorded. */
  readonly unanswered: number;
  /** Number of redirects in the last moments before it was last marked as down. */
  readonly answeredShortlyBefore: number;
  /** The latest counter of each moving host in this run of the process; -1 before the first. */
  readonly counters: readonly number[];
  /** The first failures or wrong answers. */
  readonly examples: readonly string[];
  /** Duration of the load. */
  readonly askedForMs: number;
  /** 99th percentile over all answers, in milliseconds. */
  readonly p99Ms: number;
}

export interface LoadStats {
  readonly planes: readonly PlaneStats[];
}

/** The observed counters of each moving host. */
export type SeenCounters = readonly (readonly number[])[];

export type LoadRequest =
  | { readonly type: 'begin'; readonly plan: LoadPlan }
  | { readonly type: 'set-mode'; readonly plane: number; readonly mode: PlaneMode }
  | { readonly type: 'stats' }
  | { readonly type: 'seen' }
  /** Sends no more requests, and resolves when all answers have arrived. */
  | { readonly type: 'finish' };

export type LoadAnswer = LoadStats | SeenCounters | undefined;

/** Name of a steady host, and its destination. */
export const steadyHost = (index: number) => `s${index}.localhost`;
export const steadyDestination = (index: number) => `https://s${index}.example/base`;
/** Name of a moving host, and its destination for a value of its counter. */
export const movingHost = (index: number) => `m${index}.localhost`;
export const movingDestination = (index: number, counter: number) => `https://m${index}.example/v/${counter}`;
