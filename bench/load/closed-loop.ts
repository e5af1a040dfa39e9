/**
 * Runs `call` repeatedly in `callers` parallel loops for `seconds`. Each loop calls again as soon as it has an answer.
 * @throws the errors of `call`
 */
export async function runClosedLoop(callers: number, seconds: number, call: () => Promise<void>) {
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1000;
  let completed = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < endsAtMs) {
        await call();
        completed += 1;
      }
    }),
  );
  return { completed, requestsPerSecond: completed / ((performance.now() - startedAtMs) / 1000) };
}
