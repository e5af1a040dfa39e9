/**
 * Resolves with the result of `work` if it comes in time. The work itself continues.
 *
 * @param who is named in the error when it is late
 */
export function within<Result>(limitMs: number, who: string, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`${who} has not answered within ${limitMs} ms`));
    const timer = setTimeout(late, limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
