import { clearBit } from './row-table.js';

/** Period in which a clause can be satisfied: Unix times in milliseconds, both included; absent without a bound. */
export interface ClausePeriod {
  readonly clause: number;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/**
 * The clauses whose rules are in their date range. Computes them again only after a bound was passed, in either
 * direction.
 */
export class LiveClauses {
  private readonly live: Int32Array;
  /** `live` is valid from `sinceMs` until before `untilMs`. */
  private sinceMs = Number.POSITIVE_INFINITY;
  private untilMs = Number.NEGATIVE_INFINITY;

  /**
   * @param all a row with every clause
   * @param periods of the clauses that have a bound
   */
  constructor(
    private readonly all: Int32Array,
    private readonly periods: readonly ClausePeriod[],
  ) {
    this.live = all.slice();
  }

  /** Returns the row of the clauses that are live at a time in whole milliseconds. Valid until the next call. */
  at(nowMs: number): Int32Array {
    if (nowMs < this.sinceMs || nowMs >= this.untilMs) this.workOut(nowMs);
    return this.live;
  }

  private workOut(nowMs: number): void {
    this.live.set(this.all);
    this.sinceMs = Number.NEGATIVE_INFINITY;
    this.untilMs = Number.POSITIVE_INFINITY;
    for (const { clause, startMs = Number.NEGATIVE_INFINITY, endMs = Number.POSITIVE_INFINITY } of this
      .periods) {
      const hasStarted = this.isPast(startMs, nowMs);
      const hasEnded = this.isPast(endMs + 1, nowMs);
      if (!hasStarted || hasEnded) clearBit(this.live, clause);
    }
  }

  private isPast(boundMs: number, nowMs: number): boolean {
    const isPast = nowMs >= boundMs;
    if (isPast) this.sinceMs = Math.max(this.sinceMs, boundMs);
    else this.untilMs = Math.min(this.untilMs, boundMs);
    return isPast;
  }
}
