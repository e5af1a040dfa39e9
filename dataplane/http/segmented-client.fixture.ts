import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface SegmentedExchange {
  /** All received bytes as Latin-1. */
  readonly received: string;
  readonly closed: boolean;
}

export interface SegmentOptions {
  /** Pause between two segments, so that the server reads the first one before the next arrives. */
  readonly gapMs?: number;
  /** Whether the answer is complete. Then a short silence ends the exchange, otherwise a long one. */
  readonly isComplete?: (received: string) => boolean;
}

/**
 * Silence is counted in turns of the event loop, which client and server share in tests. A process without CPU time
 * makes no turns.
 */
const TURN_MS = 10;
const SHORT_SILENCE_TURNS = 6;
const LONG_SILENCE_TURNS = 100;

/** A write that meets a reset makes Node discard what it has not read. Such an exchange without an answer says nothing. */
const MAX_ATTEMPTS = 5;

/** Sends each part in a TCP segment of its own and returns all received bytes. */
export async function sendSegments(
  port: number,
  parts: readonly Buffer[],
  options: SegmentOptions = {},
): Promise<SegmentedExchange> {
  for (let attempt = 1; ; attempt += 1) {
    const { wasReset, ...exchange } = await sendOnce(port, parts, options);
    if (!wasReset || exchange.received !== '' || attempt === MAX_ATTEMPTS) return exchange;
  }
}

async function sendOnce(
  port: number,
  parts: readonly Buffer[],
  { gapMs = 10, isComplete = () => false }: SegmentOptions,
): Promise<SegmentedExchange & { readonly wasReset: boolean }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  let closed = false;
  let wasReset = false;
  let silentTurns = 0;
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    silentTurns = 0;
  });
  // The server need not read on after a refusal: further segments meet a reset.
  socket.on('error', () => {
    wasReset = true;
  });
  socket.on('close', () => {
    closed = true;
  });
  await once(socket, 'connect');
  for (const [index, part] of parts.entries()) {
    if (index > 0) await wait(gapMs);
    if (closed) break;
    socket.write(part);
  }
  const patienceTurns = () => (isComplete(received) ? SHORT_SILENCE_TURNS : LONG_SILENCE_TURNS);
  for (silentTurns = 0; !closed && silentTurns < patienceTurns(); silentTurns += 1) await wait(TURN_MS);
  socket.destroy();
  return { received, closed, wasReset };
}

/** Cuts bytes in two at `offset`. */
export function cutAt(bytes: Buffer, offset: number): Buffer[] {
  return [bytes.subarray(0, offset), bytes.subarray(offset)];
}

/** Returns one part for each byte. */
export function cutEverywhere(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}

/** Runs `task` for every item, at most `width` at the same time, and returns the results in order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await task(items[index] as Item);
    }
  }
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
