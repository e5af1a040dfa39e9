/** Limits the processor time that new user agents take. */
export interface ParsingBudget {
  /** Runs `parse` and takes its time off the budget. Returns undefined, without running it, if nothing is left. */
  spend<Result>(parse: () => Result): Result | undefined;
  /** Calls that were not run. */
  refused(): number;
}

export interface ParsingBudgetOptions {
  /** Part of the time that may be spent. */
  readonly share: number;
  /** Time that may be saved up, in milliseconds. */
  readonly burstMs: number;
  /**
   * The most that one call is charged with, in milliseconds. A call that took longer was interrupted, since no
   * user agent takes so much.
   */
  readonly maxChargeMs: number;
  readonly nowMs?: () => number;
}

/** Starts with a full budget, so that a new process learns its visitors' user agents. */
export function createParsingBudget(options: ParsingBudgetOptions): ParsingBudget {
  const { share, burstMs, maxChargeMs, nowMs = () => performance.now() } = options;
  let leftMs = burstMs;
  let refilledAtMs = nowMs();
  let refused = 0;

  return {
    spend(parse) {
      const startMs = nowMs();
      leftMs = Math.min(burstMs, leftMs + share * (startMs - refilledAtMs));
      refilledAtMs = startMs;
      if (leftMs <= 0) {
        refused += 1;
        return undefined;
      }
      try {
        return parse();
      } finally {
        leftMs -= Math.min(maxChargeMs, nowMs() - startMs);
      }
    },
    refused: () => refused,
  };
}
