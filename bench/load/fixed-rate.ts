import http from 'node:http';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { percentile } from '../measure/statistics.js';
import { ask, requireRedirect, type SentRequest, WrongAnswerError } from '../traffic/ask.js';
import type { LoadResult } from './load-generator.js';

const TICK_MS = 1;

/** A request and the locations of which the answer must have one. */
export interface ExpectedRequest extends SentRequest {
  readonly locations: readonly string[];
}

export interface FixedRateOptions {
  /** Name of the server for messages. */
  readonly server: string;
  readonly port: number;
  /** Sent in this order, repeatedly. */
  readonly requests: readonly ExpectedRequest[];
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /**
   * Whether to poll the clock continuously, which uses a whole core and sends on time. Otherwise the generator checks
   * every one or two milliseconds, and the latencies include this delay.
   */
  readonly spins: boolean;
}

export interface FixedRateResult extends LoadResult {
  /** Requests without an answer. */
  readonly failed: number;
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered, as visitors do. A latency starts at
 * the time when the request was due, not when it was sent. If a server stops for a moment or the generator is late, the
 * latencies of all requests that had to wait include the wait. This corrects coordinated omission, as Gil Tene's wrk2
 * does. Checks every answer.
 *
 * @throws {WrongAnswerError}
 */
export async function runAtFixedRate(options: FixedRateOptions): Promise<FixedRateResult> {
  const { requestsPerSecond, seconds, spins } = options;
  const agent = new http.Agent({ keepAlive: true, maxSockets: options.connections });
  const total = Math.round(requestsPerSecond * seconds);
  const latencies: Promise<number | undefined>[] = [];
  const startedAtMs = performance.now();
  const dueAtMs = (index: number) => startedAtMs + (index * 1000) / requestsPerSecond;
  try {
    while (latencies.length < total) {
      while (latencies.length < total && performance.now() >= dueAtMs(latencies.length)) {
        latencies.push(timeOne(agent, options, latencies.length, dueAtMs(latencies.length)));
      }
      await (spins ? nextTurn() : delay(TICK_MS));
    }
    return summarize(await Promise.all(latencies), (performance.now() - startedAtMs) / 1000);
  } finally {
    agent.destroy();
  }
}

/** Resolves to the time until the end of the answer; undefined without an answer. */
function timeOne(
  agent: http.Agent,
  { server, port, requests }: FixedRateOptions,
  index: number,
  dueAtMs: number,
): Promise<number | undefined> {
  const timed = (async () => {
    const request = requests[index % requests.length];
    if (request === undefined) throw new Error('there are no requests to send');
    const answer = await ask(agent, port, request);
    const latencyMs = performance.now() - dueAtMs;
    requireRedirect(server, request, answer, request.locations);
    return latencyMs;
  })().catch((error: unknown) => {
    if (error instanceof WrongAnswerError) throw error;
    return undefined;
  });
  // All are awaited together at the end. Until then a wrong answer would be an unhandled rejection.
  timed.catch(() => {});
  return timed;
}

function summarize(latencies: readonly (number | undefined)[], elapsedSeconds: number): FixedRateResult {
  const latenciesMs = latencies.filter((latency) => latency !== undefined);
  return {
    completed: latenciesMs.length,
    failed: latencies.length - latenciesMs.length,
    requestsPerSecond: latenciesMs.length / elapsedSeconds,
    p50Ms: percentile(latenciesMs, 0.5) ?? Number.NaN,
    p99Ms: percentile(latenciesMs, 0.99) ?? Number.NaN,
  };
}
