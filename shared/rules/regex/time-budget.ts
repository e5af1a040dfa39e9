/** Time that may be spent: refilled at a steady rate up to a burst, overdrawn by the last one to spend. */
export class TimeBudget {
  private readonly burstMs: number;
  private readonly share: number;
  private refilledAtMs = 0;
  private leftMs: number;

  /**
   * @param burstMs what it holds when full, as it is at first
   * @param share what is refilled, in milliseconds for each millisecond
   */
  constructor(burstMs: number, share: number) {
    this.burstMs = burstMs;
    this.share = share;
    this.leftMs = burstMs;
  }

  /** Whether nothing is missing, for which nobody needs a clock. */
  get isFull(): boolean {
    return this.leftMs === this.burstMs;
  }

  /** The share of the burst that is left, 1 when full; 0 or less when used up. */
  level(nowMs: number): number {
    this.leftMs = Math.min(this.burstMs, this.leftMs + (nowMs - this.refilledAtMs) * this.share);
    this.refilledAtMs = nowMs;
    return this.leftMs / this.burstMs;
  }

  spend(ms: number, nowMs: number): void {
    this.level(nowMs);
    this.leftMs -= ms;
  }
}
