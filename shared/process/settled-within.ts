/**
 * Whether `work` is done in time. The work itself is not ended.
 *
 * @throws what `work` rejects with in time; what it rejects with later is nobody's
 */
export function settledWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), limitMs);
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
