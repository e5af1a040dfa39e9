/** Reports the current phase and the estimated time left. */
export interface Phases {
  begin(name: string): void;
  /** @param done share of the phase that is done, 0 to 1 */
  progress(what: string, done: number): void;
}

/** A part of a scenario, with its duration in seconds on a quiet machine. */
export type PlannedPhase = readonly [name: string, seconds: number];

/** @param plan all phases in their order @param say called with a line for each phase */
export function createPhases(
  plan: readonly PlannedPhase[],
  say: (line: string) => void,
  nowMs: () => number = () => performance.now(),
): Phases {
  const startedAtMs = nowMs();
  let current = -1;

  const plannedSeconds = (phases: readonly PlannedPhase[]) =>
    phases.reduce((sum, [, seconds]) => sum + seconds, 0);

  /**
   * Estimates the seconds left. Assumes that the rest deviates from the plan by the same factor as the finished part.
   */
  function secondsLeft(done: number): number {
    const [, seconds = 0] = plan[current] ?? [];
    const behind = plannedSeconds(plan.slice(0, current)) + done * seconds;
    const ahead = plannedSeconds(plan) - behind;
    const tookSeconds = (nowMs() - startedAtMs) / 1_000;
    return ahead * (behind > 0 ? tookSeconds / behind : 1);
  }

  function tell(what: string, done: number): void {
    say(`${current + 1} of ${plan.length}: ${what}; about ${Math.round(secondsLeft(done))} s left`);
  }

  return {
    begin(name) {
      current = plan.findIndex(([planned]) => planned === name);
      if (current === -1) throw new Error(`there is no phase "${name}"`);
      tell(name, 0);
    },
    progress: tell,
  };
}
