import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { createConnectionWatch } from './connection-watch.js';
import { createListener } from './listener.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort, visitorTarget } from './visitor-port.fixture.js';

const REDIRECTS = [redirectOf('a.example')];
const NO_COUNTS = { idle: 0, early: 0, cut: 0 };
const lines = (count: number) => Array.from({ length: count }, (_, at) => `X-${at}: 1`);

it.each([
  { what: 'HTTP/1.0', text: 'GET / HTTP/1.0\r\n\r\n' },
  {
    what: 'a CONNECT to host and port',
    text: 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
  },
  { what: 'an absolute target', text: 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n' },
  { what: 'OPTIONS *', text: request('*', 'a.example', { method: 'OPTIONS' }) },
  { what: 'a missing Host', text: 'GET / HTTP/1.1\r\n\r\n' },
  { what: 'two Hosts', text: request('/', 'a.example', { headers: ['Host: b.example'] }) },
  { what: '99 header lines', text: request('/', 'a.example', { headers: lines(98) }) },
  { what: 'a head of 33 KB', text: request('/', 'a.example', { headers: [`X: ${'x'.repeat(33_000)}`] }) },
])('a connection that the addon refuses is counted: $what', async ({ text }) => {
  const { port, connectionCounts, counts } = await openVisitorPort(REDIRECTS);
  const connection = await openConnection(port);
  connection.send(text);
  expect(await connection.closed()).toMatch(/^HTTP\/1\.1 (400|431|505) /);
  await vi.waitFor(() => expect(connectionCounts.unanswered).toEqual({ ...NO_COUNTS, early: 1 }));
  expect(connectionCounts.opened).toBe(1);
  expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(0);
});

it.each([
  { what: 'a redirect', text: request('/', 'a.example'), status: 301 },
  { what: '98 header lines', text: request('/', 'a.example', { headers: lines(97) }), status: 301 },
  { what: 'an unknown host', text: request('/', 'b.example'), status: 404 },
  { what: 'TRACE', text: request('/', 'a.example', { method: 'TRACE' }), status: 405 },
  {
    what: 'a refusal of the handler',
    text: request('/', 'a.example', { headers: ['Transfer-Encoding: gzip'] }),
    status: 400,
  },
])('a connection that got an answer is not: $what', async ({ text, status }) => {
  const { port, listener, connectionCounts } = await openVisitorPort(REDIRECTS);
  expect((await exchange(port, text)).statusCode).toBe(status);
  await listener.drain(0);
  expect(connectionCounts).toEqual({ opened: 1, notKept: 0, unread: 0, unanswered: NO_COUNTS });
});

it.each([
  { when: 'in the same segment', statuses: ['505'] },
  { when: 'later', statuses: ['301', '505'] },
])('a refusal that follows an answered request is not counted: $when', async ({ when, statuses }) => {
  const { port, connectionCounts, counts, listener } = await openVisitorPort(REDIRECTS);
  const connection = await openConnection(port);
  const [answered, refused] = [request('/', 'a.example'), 'GET / HTTP/1.0\r\n\r\n'];
  connection.send(when === 'later' ? answered : answered + refused);
  const first = when === 'later' ? (await connection.answer()).text : '';
  if (when === 'later') connection.send(refused);
  const received = first + (await connection.closed());
  // The addon discards answers that it has not sent yet.
  expect(Array.from(received.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)).toEqual(statuses);
  await vi.waitFor(() => expect(listener.connections()).toBe(0));
  expect(connectionCounts).toEqual({ opened: 1, notKept: 0, unread: 0, unanswered: NO_COUNTS });
  expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(1);
});

/** A port whose watch has its clock and its log in the hands of the test. */
async function openWatchedPort() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const clock = { nowMs: 1_000_000 };
  const watch = createConnectionWatch({ keepAliveSeconds: 75, logger, nowMs: () => clock.nowMs });
  const answer = (res: { endWithoutBody(length: number): unknown }) => void res.endWithoutBody(0);
  const listener = createListener({
    onRequest: answer,
    onForbiddenMethod: answer,
    onOpen: watch.opened,
    uws: { keepAliveSeconds: 75, warn: expect.unreachable },
  });
  const { port } = await listener.listen(visitorTarget());
  const refuse = async () => {
    const connection = await openConnection(port);
    connection.send('GET / HTTP/1.0\r\n\r\n');
    await connection.closed();
    await vi.waitFor(() => expect(listener.connections()).toBe(0));
  };
  return { lines, clock, watch, listener, port, refuse };
}

it('writes one line a minute, with the number and one peer', async () => {
  const { lines, clock, listener, refuse } = await openWatchedPort();
  for (let times = 0; times < 3; times += 1) await refuse();
  expect(lines).toMatchObject([{ connections: 1, msg: expect.stringContaining('without an answer') }]);
  // The address is read only after there was something to log.
  expect(lines[0]).not.toHaveProperty('examplePeer');
  clock.nowMs += 59_999;
  await refuse();
  expect(lines).toHaveLength(1);
  clock.nowMs += 1;
  await refuse();
  expect(lines.slice(1)).toMatchObject([{ connections: 4, examplePeer: '127.0.0.1' }]);
  await listener.drain(0);
});

it('tells connections that were idle from those that ended earlier', async () => {
  const { clock, watch, listener, port } = await openWatchedPort();
  await openConnection(port);
  await vi.waitFor(() => expect(listener.connections()).toBe(1));
  clock.nowMs += 75_000;
  await listener.drain(0);
  expect(watch.counts).toMatchObject({ opened: 1, unanswered: { idle: 1, early: 0 } });
});
