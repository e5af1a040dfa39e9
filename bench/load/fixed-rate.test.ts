import { once } from 'node:events';
import http from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { benchRequests, forwardedLocation } from '../traffic/bench-request.js';
import { runAtFixedRate } from './fixed-rate.js';

const requests = benchRequests(20);
const byHost = new Map(requests.map((request) => [request.host, request]));
let server: http.Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: (response: http.ServerResponse, right: string) => void): Promise<number> {
  server = http.createServer((request, response) => {
    answer(response, forwardedLocation(byHost.get(request.headers.host ?? '')!));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

const sent = requests.map((request) => ({ ...request, locations: [forwardedLocation(request)] }));

function run(port: number, spins = false) {
  const rate = { connections: 4, requestsPerSecond: 200, seconds: 0.5, spins };
  return runAtFixedRate({ server: 'test', port, requests: sent, ...rate });
}

it.each([{ spins: false }, { spins: true }])(
  'the promised number of requests is sent and timed, whether it spins or not: $spins',
  async ({ spins }) => {
    const port = await listen((response, right) => response.writeHead(301, { Location: right }).end());
    const result = await run(port, spins);
    expect(result).toMatchObject({ completed: 100, failed: 0 });
    expect(result.p50Ms).toBeGreaterThan(0);
    expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms);
  },
);

it('requests are sent although earlier ones have no answer yet, and their waiting counts', async () => {
  const held: (() => void)[] = [];
  const port = await listen((response, right) => {
    held.push(() => response.writeHead(301, { Location: right }).end());
    // The server answers only after a request has arrived on every connection.
    if (held.length === 4) for (const release of held.splice(0)) release();
  });
  expect((await run(port)).completed).toBe(100);
});

it('one wrong answer fails the run', async () => {
  let count = 0;
  const port = await listen((response, right) => {
    count += 1;
    response.writeHead(301, { Location: count === 50 ? 'https://wrong.example' : right }).end();
  });
  await expect(run(port)).rejects.toThrow('with 301 https://wrong.example');
});

it('the latencies include the wait of every request that was due while the server stopped', async () => {
  let count = 0;
  const held: (() => void)[] = [];
  const port = await listen((response, right) => {
    const answer = () => response.writeHead(301, { Location: right }).end();
    count += 1;
    // Every connection waits for the same moment, by which half of the requests are due.
    if (count > 4) answer();
    else held.push(answer);
    if (count === 4) setTimeout(() => held.map((release) => release()), 250);
  });
  const { p50Ms, p99Ms } = await run(port);
  expect(p99Ms).toBeGreaterThan(240);
  expect(p50Ms).toBeGreaterThan(0);
});

it('requests without an answer are counted', async () => {
  let count = 0;
  const port = await listen((response, right) => {
    count += 1;
    if (count % 10 === 0) response.destroy();
    else response.writeHead(301, { Location: right }).end();
  });
  expect(await run(port)).toMatchObject({ completed: 90, failed: 10 });
});
