import autocannon from 'autocannon';
import { percentile } from '../measure/statistics.js';
import { type BenchRequest, BROWSER_HEADERS } from '../traffic/bench-request.js';
import type { AutocannonOrder } from './autocannon.js';
import type { LoadResult } from './load-generator.js';
import { answerOrders } from './load-process.js';

answerOrders(run);

async function run({ port, requests, connections, seconds }: AutocannonOrder): Promise<LoadResult> {
  let nextConnection = 0;
  // autocannon's own percentiles are whole milliseconds, and most answers take less.
  const latenciesMs: number[] = [];
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: `http://127.0.0.1:${port}`,
        connections,
        duration: seconds,
        timeout: 5,
        setupClient: (client) => {
          client.setRequests(shareOf(requests, nextConnection++, connections).map(toRequest));
        },
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    );
    instance.on('response', (_client, _status, _bytes, latencyMs) => latenciesMs.push(latencyMs));
  });

  const failed = result.errors + result.timeouts + result['2xx'] + result['4xx'] + result['5xx'];
  if (failed > 0) throw new Error(`${failed} requests failed or were not redirected`);
  return {
    completed: result['3xx'],
    requestsPerSecond: result['3xx'] / result.duration,
    p50Ms: percentile(latenciesMs, 0.5) ?? 0,
    p99Ms: percentile(latenciesMs, 0.99) ?? 0,
  };
}

/**
 * Requests of one connection. All connections together send all requests. They share requests if there are fewer
 * requests than connections.
 */
function shareOf(requests: readonly BenchRequest[], connection: number, connections: number): BenchRequest[] {
  const shares = Math.min(connections, requests.length);
  return requests.filter((_, index) => index % shares === connection % shares);
}

function toRequest({ host, target, headers }: BenchRequest): autocannon.Request {
  return { method: 'GET', path: target, headers: { ...BROWSER_HEADERS, ...headers, Host: host } };
}
