/** Task of the load process. */
export interface LoadPlan {
  /** Ports of the data planes on the loopback. */
  readonly ports: readonly number[];
  /** Each data plane gets so many, whatever it answers. */
  readonly requestsPerSecond: number;
  /** Hosts whose destination stays. */
  readonly steadyHosts: number;
  /** Hosts whose destination is changed, and carries a counter. */
  readonly movingHosts: number;
  /** Added to each query, to make hits large. */
  readonly paddingBytes: number;
}

/**
 * `up`: it has to answer. `down`: asked as well, its failures are counted apart. `off`: not asked, when what is under
 * way has been answered.
 */
export type PlaneMode = 'up' | 'down' | 'off';

/** One data plane, as seen by its visitors. */
export interface PlaneStats {
  /** Redirects that came. */
  readonly answered: number;
  /** Answers that were no redirect and requests without an answer, while it had to answer. */
  readonly failed: number;
  readonly failedWhileDown: number;
  /** Answers that must never be given: another `Location`, an older one than before, a 404. */
  readonly wrong: number;
  /** Requests that were sent and not answered: they may have been recorded. */
  readonly unanswered: number;
  /** Redirects in the last moments before it was last said to be down. */
  readonly answeredShortlyBefore: number;
  /** The latest counter of each moving host in this life of the process; -1 before the first. */
  readonly counters: readonly number[];
  /** The first few failures or wrong answers. */
  readonly examples: readonly string[];
  /** Duration of the load. */
  readonly askedForMs: number;
  /** 99th percentile over all answers, in milliseconds. */
  readonly p99Ms: number;
}

export interface LoadStats {
  readonly planes: readonly PlaneStats[];
}

/** The counters that were seen, of each moving host. */
export type SeenCounters = readonly (readonly number[])[];

export type LoadRequest =
  | { readonly type: 'begin'; readonly plan: LoadPlan }
  | { readonly type: 'set-mode'; readonly plane: number; readonly mode: PlaneMode }
  | { readonly type: 'stats' }
  | { readonly type: 'seen' }
  /** Sends no more, and answers when all answers are there. */
  | { readonly type: 'finish' };

export type LoadAnswer = LoadStats | SeenCounters | undefined;

/** The name of a steady host, and where it leads. */
export const steadyHost = (index: number) => `s${index}.localhost`;
export const steadyDestination = (index: number) => `https://s${index}.example/base`;
/** The name of a moving host, and where it leads at one value of its counter. */
export const movingHost = (index: number) => `m${index}.localhost`;
export const movingDestination = (index: number, counter: number) => `https://m${index}.example/v/${counter}`;
