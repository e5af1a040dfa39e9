/**
 * Number of requests after which a turn of the event loop may count as long; with twice as many it does. The addon reads
 * from a connection for as long as its client fills the buffer of 512 KiB, so a client that pipelines requests without a
 * pause holds up all others.
 */
const MANY_REQUESTS = 16_384;

/** Detects turns of the event loop that serve only requests. */
export interface TurnWatch {
  /** Counts a request. Returns whether it must be answered in a later turn. */
  isLongTurn(): boolean;
}

export function createTurnWatch(manyRequests = MANY_REQUESTS): TurnWatch {
  let requests = 0;
  let isSameTurn = false;
  const ended = () => {
    isSameTurn = false;
  };
  return {
    isLongTurn() {
      requests += 1;
      if (requests < manyRequests) return false;
      requests = 0;
      if (isSameTurn) return true;
      isSameTurn = true;
      setImmediate(ended);
      return false;
    },
  };
}
