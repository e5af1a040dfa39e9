/** Statements that the embedded engine is at, over all connections: a process has one engine. */
let running = 0;
let isGuarded = false;

/**
 * From now on this process ends by SIGKILL when something calls `process.exit` in the middle of a statement. The engine would
 * be taken apart under its threads by the exit handlers of C++, and the process crash (SIGSEGV, SIGABRT) or wait for the
 * end of the statement, which may never come. By then nothing can be waited for, and only a signal ends a process of Node
 * without these handlers. What the engine has acknowledged survives it. Who can wait closes the store before.
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
