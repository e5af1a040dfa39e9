import { once } from 'node:events';
import http from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { WrongAnswerError } from '../traffic/ask.js';
import { benchRequests, forwardedLocation } from '../traffic/bench-request.js';
import { type AnswerCheck, createAnswerCheck } from './answer-check.js';

const requests = benchRequests(20);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Checks a server whose n-th answer has the location that `locationFor` returns. */
async function checkServer(
  locationFor: (right: string, count: number) => string,
  status = 301,
): Promise<AnswerCheck> {
  const byHost = new Map(requests.map((request) => [request.host, request]));
  let count = 0;
  const server = http.createServer((request, response) => {
    count += 1;
    const right = forwardedLocation(byHost.get(request.headers.host ?? '')!);
    response.writeHead(status, { Location: locationFor(right, count) }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const check = createAnswerCheck(
    { name: 'test', port, rightLocations: (request) => [forwardedLocation(request)] },
    requests,
  );
  closing.push(() => server.close());
  return check;
}

it('right answers are counted', async () => {
  const check = await checkServer((right) => right);
  await check.check(25);
  expect(check.checked).toBe(25);
});

it('a single wrong location fails the check', async () => {
  const check = await checkServer((right, count) => (count === 10 ? `${right}x` : right));
  await expect(check.check(25)).rejects.toThrow(WrongAnswerError);
});

it('a wrong status fails the check', async () => {
  const check = await checkServer((right) => right, 302);
  await expect(check.check(1)).rejects.toThrow(/with 302 .*; right is 301/);
});

it('checking beside other work ends with it and hands on its result', async () => {
  const check = await checkServer((right) => right);
  expect(await check.checkDuring(check.check(3).then(() => 'done'))).toBe('done');
});

it('a wrong answer beside other work fails without waiting for it', async () => {
  const check = await checkServer((right) => `${right}x`);
  await expect(check.checkDuring(new Promise(() => {}))).rejects.toThrow(WrongAnswerError);
});
