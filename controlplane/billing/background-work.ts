/** Work that is begun again and again, and never runs beside itself. */
export interface BackgroundWork {
  /** Begins, unless it is still under way: then this time is left out, and none is made up for. */
  begin(): void;
  /** Resolves once nothing of it is under way. Never rejects. */
  idle(): Promise<void>;
}

/** @param onFailure is told what `work` rejected with */
export function createBackgroundWork(
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): BackgroundWork {
  let running: Promise<void> | undefined;
  return {
    begin() {
      running ??= work()
        .catch(onFailure)
        .finally(() => {
          running = undefined;
        });
    },
    idle: async () => running,
  };
}
