import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { createTurnWatch } from './turn-watch.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const MANY = 100;
const ASK = request('/', 'a.example');
const open = () => openVisitorPort([redirectOf('a.example')], { turnWatch: createTurnWatch(MANY) });

it('a turn is long when it has answered twice as many requests as are many', async () => {
  const watch = createTurnWatch(MANY);
  const countUntilLong = () => {
    for (let count = 1; count <= 10 * MANY; count += 1) if (watch.isLongTurn()) return count;
    return undefined;
  };
  expect(countUntilLong()).toBe(2 * MANY);
  await nextTurn();
  expect(countUntilLong()).toBe(2 * MANY);
  for (let turn = 0; turn < 10; turn += 1) {
    await nextTurn();
    for (let count = 0; count < MANY; count += 1) expect(watch.isLongTurn()).toBe(false);
  }
});

it('a client that pipelines more requests than fit into a turn is dropped, and others are answered', async () => {
  const { port, counts, listener } = await open();
  const connection = await openConnection(port);
  connection.send(ASK.repeat(50 * MANY));
  await connection.closed();
  await vi.waitFor(() => expect(listener.connections()).toBe(0));
  expect(counts.redirect).toBeLessThanOrEqual(3 * MANY);
  expect((await exchange(port, ASK)).statusCode).toBe(301);
});

it('a client that pipelines fewer requests gets all answers', async () => {
  const { port } = await open();
  const connection = await openConnection(port);
  connection.send(ASK.repeat(MANY));
  for (let count = 0; count < MANY; count += 1) expect((await connection.answer()).statusCode).toBe(301);
});

it('a request in a long turn is answered if no other follows on its connection', async () => {
  const { port, table } = await openVisitorPort([redirectOf('a.example')], {
    turnWatch: { isLongTurn: () => true },
  });
  expect(table.size).toBe(1);
  for (const [host, statusCode] of [
    ['a.example', 301],
    ['b.example', 404],
  ] as const) {
    const answer = await exchange(port, request('/', host));
    expect(answer).toMatchObject({ statusCode, headers: { connection: 'close' } });
  }
});
