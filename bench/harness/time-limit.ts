/**
 * `work`, or a rejection when it takes longer. The work itself is not stopped: what it started is ended with the
 * benchmark.
 *
 * @param what completes "… took longer than N s"
 */
export async function withinTime<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
