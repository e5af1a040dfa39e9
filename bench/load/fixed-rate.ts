import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../measure/statistics.js';
import { ask, requireRedirect } from '../traffic/ask.js';
import type { BenchRequest } from '../traffic/bench-request.js';
import type { LoadResult } from './load-generator.js';

const TICK_MS = 1;

export interface FixedRateOptions {
  readonly server: string;
  readonly port: number;
  readonly requests: readonly BenchRequest[];
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  readonly expectedLocation: (request: BenchRequest) => string;
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered, as visitors do: a server that
 * stops for a moment is asked all the same, and every request it keeps waiting counts. Checks every answer.
 *
 * @throws {WrongAnswerError}
 */
export async function runAtFixedRate(options: FixedRateOptions): Promise<LoadResult> {
  const { requests, requestsPerSecond, seconds } = options;
  const agent = new http.Agent({ keepAlive: true, maxSockets: options.connections });
  const total = requestsPerSecond * seconds;
  const latencies: Promise<number>[] = [];
  const startedAtMs = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAtMs) / 1000;
  try {
    while (latencies.length < total) {
      const due = Math.min(total, Math.floor(elapsedSeconds() * requestsPerSecond));
      while (latencies.length < due) latencies.push(timeOne(agent, options, requests, latencies.length));
      await delay(TICK_MS);
    }
    const latenciesMs = await Promise.all(latencies);
    return {
      completed: total,
      requestsPerSecond: total / elapsedSeconds(),
      p50Ms: percentile(latenciesMs, 0.5) ?? 0,
      p99Ms: percentile(latenciesMs, 0.99) ?? 0,
    };
  } finally {
    agent.destroy();
  }
}

/** Resolves to the time from asking to the answer's end; waiting for a free connection counts. */
function timeOne(
  agent: http.Agent,
  options: FixedRateOptions,
  requests: readonly BenchRequest[],
  index: number,
): Promise<number> {
  const timed = (async () => {
    const request = requests[index % requests.length];
    if (request === undefined) throw new Error('there are no requests to send');
    const sentAtMs = performance.now();
    const answer = await ask(agent, options.port, request);
    const latencyMs = performance.now() - sentAtMs;
    requireRedirect(options.server, request, answer, options.expectedLocation(request));
    return latencyMs;
  })();
  // All are awaited together at the end; until then a failure has nobody to tell.
  timed.catch(() => {});
  return timed;
}
