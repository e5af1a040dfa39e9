const NEWLINE = 0x0a;

/** Splits bytes that arrive in pieces of any length into lines. */
export interface LineSplitter {
  /** Passes every line that ends in the piece to `take`. */
  push(piece: Buffer): void;
  /** Whether the last bytes are not the end of a line. */
  readonly isCutOff: boolean;
}

/** @param take gets each line with its newline. It is valid only during the call, because buffers are reused. */
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
