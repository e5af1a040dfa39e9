/**
 * Resolves with the result of `work`, unless the signal is aborted first. The work itself continues. @throws the
 * signal's reason
 */
export function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Resolves with the result of `work`, or with undefined as soon as the signal is aborted. The work itself continues.
 *
 * @throws the error of `work`
 */
export async function orAborted<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await unlessAborted(signal, work);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined;
    throw error;
  }
}
