/** Statements that run in the embedded engine, over all connections: a process has one engine. */
let running = 0;
let isGuarded = false;

/**
 * Makes `process.exit` during a statement end this process by SIGKILL. Otherwise the exit handlers of C++ destroy the
 * engine under its threads, and the process crashes (SIGSEGV, SIGABRT) or waits for the statement, which may never
 * end. At that point nothing can be awaited, and only a signal ends a Node process without these handlers. All
 * acknowledged data survives. Close the store first where waiting is possible.
 */
export function guardExit(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.on('exit', () => {
    if (running > 0) process.kill(process.pid, 'SIGKILL');
  });
}

/** Runs a statement and counts it as running. */
export async function duringStatement<Result>(statement: () => Promise<Result>): Promise<Result> {
  running += 1;
  try {
    return await statement();
  } finally {
    running -= 1;
  }
}
