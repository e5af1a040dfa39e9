/** Has `callers` ask one after another for so long, each again as soon as it has an answer. @throws what `call` does */
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
