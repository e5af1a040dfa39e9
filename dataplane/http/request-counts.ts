/** Outcome of a request. */
export type RequestOutcome = 'redirect' | 'loop' | 'notFound' | 'refused' | 'tooLong' | 'notReady' | 'failed';

/** Requests by outcome since the process started: plain numbers, so that counting one costs an addition. */
export type RequestCounts = Record<RequestOutcome, number>;

/** Decisions of rules since the process started. */
export interface RuleCounts {
  /** Requests that some rule matched. */
  matches: number;
}

export function createRequestCounts(): RequestCounts {
  return { redirect: 0, loop: 0, notFound: 0, refused: 0, tooLong: 0, notReady: 0, failed: 0 };
}

export function createRuleCounts(): RuleCounts {
  return { matches: 0 };
}
