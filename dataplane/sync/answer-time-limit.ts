/** Time limits of an answer: to its first byte, and in total. */
export interface AnswerTimeLimit {
  /** Aborted when a limit is reached. */
  readonly signal: AbortSignal;
  /** The step that took too long, in words; undefined before that. */
  readonly exceeded: string | undefined;
  /** Notes the first byte of the answer. */
  begun(): void;
  /** Ends the limits. */
  clear(): void;
}

export interface AnswerTimes {
  readonly firstByteTimeoutMs: number;
  readonly wholeTimeoutMs: number;
}

/** Starts the limits. */
export function startTimeLimit({ firstByteTimeoutMs, wholeTimeoutMs }: AnswerTimes): AnswerTimeLimit {
  const abort = new AbortController();
  let exceeded: string | undefined;
  const after = (durationMs: number, what: string) =>
    setTimeout(() => {
      exceeded = `${what} within ${durationMs} ms`;
      abort.abort();
    }, durationMs);
  const firstByte = after(firstByteTimeoutMs, 'it did not begin to answer');
  const whole = after(wholeTimeoutMs, 'its answer was not complete');

  return {
    signal: abort.signal,
    get exceeded() {
      return exceeded;
    },
    begun: () => clearTimeout(firstByte),
    clear() {
      clearTimeout(firstByte);
      clearTimeout(whole);
    },
  };
}
