import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { createUnreadAnswers } from './unread-answers.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const MIB = 1024 * 1024;
const HOST = 'a.example';
const DESTINATION = `https://b.example/${'x'.repeat(1_900)}`;
const ASK = request('/', HOST);
const openProbing = () =>
  openVisitorPort([redirectOf(HOST, { destination: DESTINATION })], { isProbe: () => true });

/** Answers of 1 KiB, whose memory is in the hands of the test. */
function createAnswers(memory: number[]) {
  let readings = 0;
  const unread = createUnreadAnswers({
    readMemory: () => memory[Math.min(readings++, memory.length - 1)] ?? 0,
    random: () => 0.5,
  });
  const probesAmong = (answers: number) => {
    let probes = 0;
    for (let count = 0; count < answers; count += 1) if (unread.isProbe(1_024 - 256)) probes += 1;
    return probes;
  };
  return { probesAmong, readings: () => readings };
}

it('reads its memory once in 4 MiB of answers, and sends no probe while it has not grown by more than 64 MiB', () => {
  const { probesAmong, readings } = createAnswers([100 * MIB, 90 * MIB, 154 * MIB]);
  expect(probesAmong(4_095)).toBe(0);
  expect(readings()).toBe(0);
  expect(probesAmong(1 + 9 * 4_096)).toBe(0);
  expect(readings()).toBe(10);
});

it('sends probes from the reading on that shows more, and none after one that shows less', () => {
  const { probesAmong, readings } = createAnswers([90 * MIB, 154 * MIB + 1, 154 * MIB + 1, 154 * MIB]);
  expect(probesAmong(2 * 4_096)).toBe(1);
  expect(readings()).toBe(2);
  // One in 4 KiB on average.
  expect(probesAmong(2 * 4_096 - 1)).toBe(2_047);
  expect(readings()).toBe(3);
  expect(probesAmong(10 * 4_096)).toBe(0);
});

it('sends probes at random distances, so that none can be foreseen', () => {
  const distances = [0, 0.25, 1];
  const unread = createUnreadAnswers({
    readMemory: vi
      .fn()
      .mockReturnValueOnce(0)
      .mockReturnValue(1_024 * MIB),
    random: () => distances.shift() ?? 0.5,
  });
  const untilProbe = () => {
    for (let answers = 1; ; answers += 1) if (unread.isProbe(1_024 - 256)) return answers;
  };
  expect([untilProbe(), untilProbe(), untilProbe(), untilProbe()]).toEqual([8_192, 1, 2, 8]);
});

it.each([
  { what: 'a redirect', text: ASK, expected: { statusCode: 301, body: '\n' } },
  { what: 'an unknown host', text: request('/', 'b.example'), expected: { statusCode: 404 } },
])(
  'a probe is a whole answer, and the connection of a client that reads stays open: $what',
  async ({ text, expected }) => {
    const { port, connectionCounts } = await openProbing();
    const connection = await openConnection(port);
    for (let count = 0; count < 3; count += 1) {
      connection.send(text);
      const answer = await connection.answer();
      expect(answer).toMatchObject(expected);
      expect(answer.headers).not.toHaveProperty('connection');
      expect(connection.unread()).toBe('');
    }
    expect(connectionCounts.unread).toBe(0);
  },
);

const CHUNKED = 'Transfer-Encoding: chunked';
it.each([
  {
    what: 'a redirect for HEAD',
    text: request('/', HOST, { method: 'HEAD' }),
    expected: { statusCode: 301 },
    bytes: 0,
  },
  {
    what: 'an unknown host for HEAD',
    text: request('/', 'b.example', { method: 'HEAD' }),
    expected: { statusCode: 404, headers: { 'content-length': '36' } },
    bytes: 0,
  },
  {
    what: 'a redirect after a chunked body',
    text: `${request('/', HOST, { method: 'POST', headers: [CHUNKED] })}0\r\n\r\n`,
    expected: { statusCode: 301 },
    bytes: 2,
  },
  {
    what: 'an unknown host after a chunked body',
    text: `${request('/', 'b.example', { method: 'POST', headers: [CHUNKED] })}0\r\n\r\n`,
    expected: { statusCode: 404, body: 'There is no redirect for this host.\r\n' },
    bytes: 37,
  },
  {
    what: 'a forbidden method',
    text: request('/', HOST, { method: 'TRACE' }),
    expected: { statusCode: 405, headers: { allow: expect.stringContaining('GET') } },
    bytes: 42,
  },
])(
  'where nothing tells whether the client reads, a probe ends the connection: $what',
  async ({ text, expected, bytes }) => {
    const { port, listener } = await openProbing();
    const connection = await openConnection(port);
    connection.send(text);
    const isHead = text.startsWith('HEAD');
    const answer = await connection.answer(isHead);
    expect(answer).toMatchObject(expected);
    expect(answer.headers).toMatchObject({ connection: 'close' });
    expect(answer.body).toHaveLength(bytes);
    expect(await connection.closed()).toBe('');
    await vi.waitFor(() => expect(listener.connections()).toBe(0));
  },
);

it('a client that pipelines and reads gets all answers', async () => {
  const { port, connectionCounts } = await openProbing();
  const connection = await openConnection(port);
  for (let burst = 0; burst < 20; burst += 1) {
    connection.send(ASK.repeat(200));
    for (let count = 0; count < 200; count += 1) expect((await connection.answer()).statusCode).toBe(301);
  }
  expect(connectionCounts.unread).toBe(0);
});

it.each([
  { what: 'redirects', text: ASK },
  { what: 'unknown hosts', text: request('/', 'b.example') },
  { what: 'HEAD', text: request('/', HOST, { method: 'HEAD' }) },
])('a client that does not read is dropped, and others are answered: $what', async ({ text }) => {
  const { port, listener } = await openProbing();
  const socket = connect(port, '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  await vi.waitFor(() => expect(listener.connections()).toBe(1));
  await vi.waitFor(
    () => {
      socket.write(text.repeat(500));
      expect(listener.connections()).toBe(0);
    },
    { interval: 5, timeout: 60_000 },
  );
  expect((await exchange(port, ASK)).statusCode).toBe(301);
});

it('connections that are closed for it are counted', async () => {
  const { port, connectionCounts } = await openProbing();
  const socket = connect(port, '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await vi.waitFor(
    () => {
      socket.write(ASK.repeat(500));
      expect(connectionCounts.unread).toBe(1);
    },
    { interval: 5, timeout: 60_000 },
  );
});
