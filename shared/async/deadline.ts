/**
 * Resolves with the result of `work` if it settles in time. The work itself continues after the limit.
 *
 * @param late the error for a late result, or the name of the late party for such an error
 */
export function within<Result>(
  limitMs: number,
  late: string | (() => Error),
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const error = () =>
      typeof late === 'string' ? new Error(`${late} has not answered within ${limitMs} ms`) : late();
    const timer = setTimeout(() => reject(error()), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Returns whether `work` settles in time. The work itself continues after the limit.
 *
 * @throws the error of `work` if it rejects in time; later rejections are ignored
 */
export function settledWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), limitMs);
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}

/** Length of a turn of `settledInTurns`. */
export const TURN_MS = 100;

/**
 * Does the same as `settledWithin`, with a limit in turns of 100 ms. Time in which this process was blocked counts as one turn,
 * however long it was, because the process could not notice the end of the work.
 */
export async function settledInTurns(turns: number, work: Promise<unknown>): Promise<boolean> {
  for (let turn = 0; turn < turns; turn += 1) {
    if (await settledWithin(TURN_MS, work)) return true;
  }
  return false;
}
