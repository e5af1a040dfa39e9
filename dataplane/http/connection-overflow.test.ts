import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKeptConnections } from './connection-overflow.js';
import { createConnectionWatch } from './connection-watch.js';
import { createListener } from './listener.js';
import { exchange, openConnection, type RawConnection, request } from './raw-client.fixture.js';
import { visitorTarget } from './visitor-port.fixture.js';

const MAX_KEPT = 10;
const MAX_PER_PART = 2;
const MAX_IN_OVERFLOW = 4 * MAX_PER_PART;
const ASK = request('/', 'a.example');

/** A port that keeps few connections, and the log of its watch. */
async function openCrowdedPort() {
  const lines: { msg: string; connections: number }[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const watch = createConnectionWatch({ keepAliveSeconds: 75, logger });
  const kept = createKeptConnections(MAX_KEPT, MAX_PER_PART);
  const listener = createListener({
    onRequest: (res, _req, closing) => void res.endWithoutBody(0, closing),
    onForbiddenMethod: (res, _req, closing) => void res.writeStatus('405').endWithoutBody(0, closing),
    onOpen: watch.opened,
    onNotKept: watch.notKept,
    cut: watch.cut,
    kept,
    uws: { keepAliveSeconds: 75, warn: expect.unreachable },
  });
  const { port } = await listener.listen(visitorTarget());
  onTestFinished(() => listener.drain(0));
  const openHalf = async () => {
    const connection = await openConnection(port);
    connection.send('GET / HTTP/1.1\r\nX: half');
    return connection;
  };
  const untilOpen = (count: number) => vi.waitFor(() => expect(listener.connections()).toBe(count));
  return { port, listener, watch, kept, lines, openHalf, untilOpen };
}

async function openMany(count: number, open: () => Promise<RawConnection>): Promise<RawConnection[]> {
  const connections: RawConnection[] = [];
  for (let at = 0; at < count; at += 1) connections.push(await open());
  return connections;
}

describe('a port with as many kept connections as allowed', () => {
  it('answers new connections, and ends each with its first answer', async () => {
    const { port, openHalf, untilOpen, watch } = await openCrowdedPort();
    await openMany(MAX_KEPT, openHalf);
    await untilOpen(MAX_KEPT);
    for (const method of ['GET', 'TRACE']) {
      const connection = await openConnection(port);
      connection.send(request('/', 'a.example', { method }));
      expect((await connection.answer()).headers).toMatchObject({ connection: 'close' });
      expect(await connection.closed()).toBe('');
    }
    expect(watch.counts).toMatchObject({ opened: MAX_KEPT + 2, notKept: 2, unanswered: { cut: 0 } });
  });

  it('keeps those that were open before', async () => {
    const { port, openHalf, untilOpen } = await openCrowdedPort();
    const [idle] = await openMany(1, () => openConnection(port));
    await openMany(MAX_KEPT - 1, openHalf);
    await untilOpen(MAX_KEPT);
    await openMany(2 * MAX_IN_OVERFLOW, openHalf);
    for (let times = 0; times < 2; times += 1) {
      idle?.send(ASK);
      expect((await idle?.answer())?.headers).not.toHaveProperty('connection');
    }
  });

  it('closes the oldest unfinished requests beyond a bound, and answers visitors meanwhile', async () => {
    const { port, openHalf, untilOpen, listener, watch, lines } = await openCrowdedPort();
    await openMany(MAX_KEPT, openHalf);
    await untilOpen(MAX_KEPT);
    const halves: RawConnection[] = [];
    for (let times = 0; times < 5; times += 1) {
      halves.push(...(await openMany(MAX_IN_OVERFLOW, openHalf)));
      expect((await exchange(port, ASK)).statusCode).toBe(200);
      expect(listener.connections()).toBeLessThanOrEqual(MAX_KEPT + MAX_IN_OVERFLOW);
    }
    for (const half of halves.slice(0, -MAX_IN_OVERFLOW)) expect(await half.closed()).toBe('');
    const latest = halves.at(-1);
    latest?.send('\r\nHost: a.example\r\n\r\n');
    expect((await latest?.answer())?.statusCode).toBe(200);
    const { cut } = watch.counts.unanswered;
    expect(cut).toBeGreaterThanOrEqual(halves.length - MAX_IN_OVERFLOW);
    expect(watch.counts.unanswered).toMatchObject({ early: 0, idle: 0 });
    expect(lines).toMatchObject([
      { msg: expect.stringContaining('many connections are open'), connections: 1 },
      { msg: expect.stringContaining('closed before they had sent a whole request'), connections: 1 },
    ]);
  });

  it('keeps new ones again once a tenth of them is gone', async () => {
    const { port, openHalf, untilOpen, kept } = await openCrowdedPort();
    const [first, second] = await openMany(MAX_KEPT, openHalf);
    await untilOpen(MAX_KEPT);
    expect((await exchange(port, ASK)).headers).toMatchObject({ connection: 'close' });
    for (const half of [first, second]) half?.send('\r\nHost: a.example\r\nConnection: close\r\n\r\n');
    await vi.waitFor(() => expect(kept.count).toBe(MAX_KEPT - 2));
    const connection = await openConnection(port);
    connection.send(ASK);
    expect((await connection.answer()).headers).not.toHaveProperty('connection');
    connection.send(ASK);
    expect((await connection.answer()).statusCode).toBe(200);
  });

  it('closes all connections when it drains', async () => {
    const { openHalf, listener, untilOpen } = await openCrowdedPort();
    const halves = await openMany(MAX_KEPT, openHalf);
    await untilOpen(MAX_KEPT);
    halves.push(...(await openMany(MAX_PER_PART, openHalf)));
    await untilOpen(MAX_KEPT + MAX_PER_PART);
    await listener.drain(0);
    for (const half of halves) expect(await half.closed()).toBe('');
    expect(listener.connections()).toBe(0);
  });
});
