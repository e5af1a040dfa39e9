/** Statements that the embedded engine is at, over all connections: a process has one engine. */
let running = 0;
let isGuarded = false;

/**
 * Makes `process.exit` during a statement end this process by SIGKILL. The exit handlers of C++ would take the engine
 * apart under its threads, and the process would crash (SIGSEGV, SIGABRT) or wait for the end of the statement, which
 * may never come. At that point nothing can be awaited, and only a signal ends a Node process without these handlers.
 * Everything that the engine has acknowledged survives. Close the store first where waiting is possible.
 */
export function guardExit(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.on('exit', () => {
    if (running > 0) process.kill(process.pid, 'SIGKILL');
  });
}

/** Runs a statement, so that it is known that it runs. */
export async function duringStatement<Result>(statement: () => Promise<Result>): Promise<Result> {
  running += 1;
  try {
    return await statement();
  } finally {
    running -= 1;
  }
}
