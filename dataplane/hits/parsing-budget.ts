/** Limits the processor time for new user agents. */
export interface ParsingBudget {
  /** Runs `parse` and charges its time. Returns undefined, without running it, if no time is left. */
  spend<Result>(parse: () => Result): Result | undefined;
  /** Number of calls that were refused. */
  refused(): number;
}

export interface ParsingBudgetOptions {
  /** Share of the time that may be spent. */
  readonly share: number;
  /** Maximum saved time, in milliseconds. */
  readonly burstMs: number;
  /**
   * Maximum charge of one call, in milliseconds. A longer call was interrupted, because no user agent takes so much.
   */
  readonly maxChargeMs: number;
  readonly nowMs?: () => number;
}

/** Starts with a full budget, so a new process can parse its visitors' user agents. */
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
