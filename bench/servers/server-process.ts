import type { HitAccount, ServerSetup } from './server-kind.js';
import type { BenchMessage, ServerMessage } from './server-messages.js';

/** A server inside its own process. */
export interface ServedHere {
  readonly port: number;
  /** Stops the server. Resolves with its account of hits where the benchmark does not receive them. */
  stop(): Promise<HitAccount | undefined>;
}

/**
 * Runs a server process: reads the setup from the command line, starts the server, and reports the port to the
 * benchmark. The process ends on request or when the benchmark is gone.
 */
export async function serve(start: (setup: ServerSetup) => Promise<ServedHere>): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const setup: ServerSetup = JSON.parse(process.argv[2] ?? '');
  const server = await start(setup);
  process.on('message', async ({ type }: BenchMessage) => {
    if (type === 'memory-wanted') say({ type: 'memory', bytes: bytesInUse() });
    if (type !== 'stop') return;
    const hits = await server.stop();
    say({ type: 'stopped', ...(hits && { hits }) }, () => process.exit(0));
  });
  say({ type: 'listening', port: server.port });
}

/** @param onSent called after the message is written to the channel */
export function say(message: ServerMessage, onSent: () => void = () => {}): void {
  process.send?.(message, undefined, {}, onSent);
}

function bytesInUse(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
