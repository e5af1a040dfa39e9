const MIB = 1024 * 1024;
/** Memory that may be added outside the JavaScript heap before clients that do not read are dropped. */
const MAX_ADDED = 64 * MIB;
/** Bytes of answers between two readings of the memory. */
const READ_EVERY = 4 * MIB;
/** Mean number of bytes of answers between two probes. */
const PROBE_EVERY = 4_096;
/** Bytes of an answer besides its counted length, approximately. */
const HEADER_BYTES = 256;

/**
 * Bounds the memory of answers that clients do not read. The addon buffers them. It reports neither the amount nor the
 * connection. So the process reads its own memory after every few megabytes of answers. While it has grown too much,
 * some answers are probes: their connection is closed if the system does not take them. The system takes the answers of
 * a client that reads.
 */
export interface UnreadAnswers {
  /**
   * Counts an answer.
   *
   * @param length of the answer from its status up to and including the location, or of its text
   * @returns whether it must be a probe
   */
  isProbe(length: number): boolean;
  /** Must be called for every connection that is closed after a failed probe. */
  closed(): void;
}

export interface UnreadAnswersDeps {
  readonly onClosed?: () => void;
  /** Returns the bytes of memory outside the JavaScript heap. Default: those of this process. */
  readonly readMemory?: () => number;
  readonly random?: () => number;
}

export function createUnreadAnswers({
  onClosed = () => {},
  readMemory = memoryOutsideHeap,
  random = Math.random,
}: UnreadAnswersDeps = {}): UnreadAnswers {
  /** Bytes of answers until the next reading or probe, and their number at the last one. */
  let left = READ_EVERY;
  let step = READ_EVERY;
  let sinceReading = 0;
  let lowest = Number.POSITIVE_INFINITY;
  let isScarce = false;

  function endStep(): boolean {
    sinceReading += step - left;
    if (sinceReading >= READ_EVERY) {
      sinceReading = 0;
      const bytes = readMemory();
      lowest = Math.min(lowest, bytes);
      isScarce = bytes > lowest + MAX_ADDED;
    }
    // Choose at random, so no client can cause others to be probed in its place.
    step = isScarce ? 2 * PROBE_EVERY * random() : READ_EVERY;
    left = step;
    return isScarce;
  }

  return {
    isProbe(length) {
      left -= length + HEADER_BYTES;
      return left <= 0 && endStep();
    },
    closed: onClosed,
  };
}

/** Rulesets are in the heap or in buffers, so their size does not count. */
function memoryOutsideHeap(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  return rss - heapTotal - external;
}
