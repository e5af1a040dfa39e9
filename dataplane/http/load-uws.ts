import type uws from 'uWebSockets.js';

export type UwsModule = typeof uws;

/** The HTTP server is native code and there is none for this platform; `message` says what to do. */
export class UwsUnavailableError extends Error {
  override name = 'UwsUnavailableError';
}

/**
 * Loads the native HTTP server.
 *
 * @throws {UwsUnavailableError} when it cannot run here
 */
export async function loadUws(): Promise<UwsModule> {
  try {
    // A CommonJS module in one distribution, both kinds in the other: `default` is the module in either.
    return (await import('uWebSockets.js')).default;
  } catch (error) {
    throw uwsUnavailable(error);
  }
}

/** @param cause what the attempt to load it threw */
export function uwsUnavailable(cause: unknown): UwsUnavailableError {
  const here = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return new UwsUnavailableError(
    `The HTTP server of the data plane (uWebSockets.js) does not load with ${here}: it runs with Node 20, 22, 24 or 25 on Linux (x64, arm64; glibc 2.28 or newer for Node 20, 2.38 for the others; not Alpine), macOS (x64, arm64) and Windows in WSL; install one of these there and run npm install again.`,
    { cause },
  );
}
