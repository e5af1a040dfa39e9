/** Outcome of a request. `upgrade`: redirected to HTTPS on the same host; `misdirected`: no redirect for this host over HTTPS. */
export type RequestOutcome =
  | 'redirect'
  | 'upgrade'
  | 'loop'
  | 'notFound'
  | 'gone'
  | 'misdirected'
  | 'refused'
  | 'tooLong'
  | 'notReady'
  | 'failed';

/** Requests by outcome since the process started. Plain numbers, so counting is one addition. */
export type RequestCounts = Record<RequestOutcome, number>;

/** Decisions of rules since the process started. */
export interface RuleCounts {
  /** Requests that a rule matched. */
  matches: number;
}

export function createRequestCounts(): RequestCounts {
  return {
    redirect: 0,
    upgrade: 0,
    loop: 0,
    notFound: 0,
    gone: 0,
    misdirected: 0,
    refused: 0,
    tooLong: 0,
    notReady: 0,
    failed: 0,
  };
}

export function createRuleCounts(): RuleCounts {
  return { matches: 0 };
}
