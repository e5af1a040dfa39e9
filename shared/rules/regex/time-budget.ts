/** A time budget that refills at a steady rate up to a burst. The last expense may overdraw it. */
export class TimeBudget {
  private refilledAtMs = 0;
  private leftMs: number;

  /**
   * @param burstMs size of the full budget, which is also the start
   * @param share milliseconds refilled for each millisecond
   */
  constructor(
    private readonly burstMs: number,
    private readonly share: number,
  ) {
    this.leftMs = burstMs;
  }

  /** Whether the budget is full, which is known without a clock. */
  get isFull(): boolean {
    return this.leftMs === this.burstMs;
  }

  /** Returns the share of the burst that is left: 1 when full, 0 or less when used up. */
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
