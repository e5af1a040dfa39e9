import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { codeOf } from '../../shared/process/error-facts.js';

export const HANDSHAKING_VISITORS = 4;
/** A busy machine must have time for the rest. */
const PAUSE_MS = 5;

export interface Handshakes {
  /** Ends them. */
  stop(): Promise<{
    readonly count: number;
    /** Codes of the errors. */
    readonly failed: readonly string[];
    readonly p99Ms: number;
  }>;
}

/** Makes full TLS handshakes on new connections, one after another for each of several visitors. */
export function startHandshakes(port: number, servername: string): Handshakes {
  const durationsMs: number[] = [];
  const failed: string[] = [];
  let isStopped = false;

  async function shakeOnAndOn(): Promise<void> {
    while (!isStopped) {
      const startedMs = performance.now();
      await shake(port, servername).then(
        () => durationsMs.push(performance.now() - startedMs),
        (error: unknown) => failed.push(codeOf(error) ?? String(error)),
      );
      await delay(PAUSE_MS);
    }
  }

  const visitors = Array.from({ length: HANDSHAKING_VISITORS }, shakeOnAndOn);
  return {
    async stop() {
      isStopped = true;
      await Promise.all(visitors);
      const inOrder = durationsMs.toSorted((a, b) => a - b);
      const p99Ms = inOrder[Math.ceil(0.99 * inOrder.length) - 1] ?? Number.NaN;
      return { count: inOrder.length, failed, p99Ms };
    },
  };
}

function shake(port: number, servername: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
