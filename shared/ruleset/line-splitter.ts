const NEWLINE = 0x0a;

/** Finds the lines in bytes that arrive in pieces of any length. */
export interface LineSplitter {
  /** Hands on every line that ends in the piece. */
  push(piece: Buffer): void;
  /** Whether what came last is not the end of a line. */
  readonly isCutOff: boolean;
}

/** @param take gets each line with its newline; valid until it returns, since pieces may be used again */
export function createLineSplitter(take: (line: Buffer) => void): LineSplitter {
  /** Parts of a line whose end has not arrived. */
  let unfinished: Buffer[] = [];

  function finish(line: Buffer): void {
    if (unfinished.length === 0) {
      take(line);
      return;
    }
    const whole = Buffer.concat([...unfinished, line]);
    unfinished = [];
    take(whole);
  }

  return {
    push(piece) {
      let start = 0;
      for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
        finish(piece.subarray(start, end + 1));
        start = end + 1;
      }
      if (start < piece.length) unfinished.push(Buffer.from(piece.subarray(start)));
    },
    get isCutOff() {
      return unfinished.length > 0;
    },
  };
}
