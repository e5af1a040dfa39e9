import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import type { ParentMessage, WorkerMessage } from './ipc-messages.js';

const CHANNEL = path.join(packageRoot(), 'dist', 'deploy', 'workers', 'parent-channel.js');

/** Starts a process that runs `code` with its `parent` channel. */
function startChild(code: string) {
  const source = `
    import { connectToParent } from ${JSON.stringify(CHANNEL)};
    const parent = connectToParent({ error: (_, what) => console.log(what) });
    ${code}
    parent.send({ type: 'ready' });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout!.on('data', (chunk) => {
    said += String(chunk);
  });
  const received: WorkerMessage[] = [];
  child.on('message', (message: WorkerMessage) => received.push(message));
  return {
    child,
    received,
    said: () => said,
    exited: once(child, 'exit'),
    isReady: () => vi.waitFor(() => expect(received).toContainEqual({ type: 'ready' })),
    send: (message: ParentMessage) => child.send(message),
  };
}

test('a worker outlives a question about itself that it cannot answer, and says so', async () => {
  const { isReady, send, said, exited } = startChild(`
    parent.onStatusWanted(async () => { throw new Error('the metrics are broken'); });
    parent.onDrain(() => process.exit(0));
  `);
  await isReady();
  send({ type: 'status-wanted', id: 1 });
  await vi.waitFor(() => expect(said()).toContain('could not be found out'));
  send({ type: 'drain' });
  expect(await exited).toEqual([0, null]);
});

test('a worker that knows no status yet gives none', async () => {
  const { isReady, send, received } = startChild('');
  await isReady();
  send({ type: 'status-wanted', id: 1 });
  // Determining a status takes a turn. The second answer comes after it.
  for (const pongs of [1, 2]) {
    send({ type: 'ping' });
    await vi.waitFor(() => expect(received.filter(({ type }) => type === 'pong')).toHaveLength(pongs));
  }
  expect(received.map(({ type }) => type)).not.toContain('status-answer');
});

test('a worker answers what it is asked', async () => {
  const { isReady, send, received, said } = startChild(`
    parent.onStatusWanted(async () => ({ readiness: 'fine', metrics: [] }));
    parent.feed.start({ onHead: ({ seq }) => console.log('head', seq, parent.apiUrl(), parent.handoverMs()) });
  `);
  await isReady();
  send({ type: 'ping' });
  send({ type: 'status-wanted', id: 7 });
  send({ type: 'applied-wanted' });
  send({ type: 'head', version: { epoch: 1, seq: 1 } });
  send({ type: 'api', url: 'http://127.0.0.1:1' });
  send({ type: 'hand-over', forMs: 5_000 });
  send({ type: 'head', version: { epoch: 1, seq: 2 } });
  await vi.waitFor(() => {
    expect(said()).toBe('head 1 undefined undefined\nhead 2 http://127.0.0.1:1 5000\n');
    expect(received.slice(0, 3)).toEqual([{ type: 'snapshot-wanted' }, { type: 'ready' }, { type: 'pong' }]);
    // Determining the status takes a turn, in which the other answer may be sent.
    expect(received).toHaveLength(5);
    expect(received).toContainEqual({ type: 'applied' });
    expect(received).toContainEqual({
      type: 'status-answer',
      id: 7,
      status: { readiness: 'fine', metrics: [] },
    });
  });
});

test('a late listener still learns that the supervisor is gone, and the worker delivers nothing more', async () => {
  const { child, isReady, received, said, exited } = startChild(`
    const fail = (what) => (error) => console.log(what, error.message);
    parent.sink.deliver(new Uint8Array(1)).catch(fail('pending:'));
    parent.onDrain(() => console.log('told to drain'));
    parent.onGone(() => {
      console.log('gone', parent.gone.aborted);
      parent.send({ type: 'ready' });
      parent.sink.deliver(new Uint8Array(1)).catch(fail('later:'));
      setTimeout(() => parent.onGone(() => { console.log('gone again'); process.exit(0); }), 10);
    });
  `);
  await isReady();
  expect(received[0]).toMatchObject({ type: 'hit-batch' });
  child.disconnect();
  expect(await exited).toEqual([0, null]);
  await vi.waitFor(() => {
    expect(said().trim().split('\n').sort()).toEqual([
      'gone again',
      'gone true',
      'later: the parent process is gone',
      'pending: the parent process is gone',
    ]);
  });
});

test('a delivery ends as the supervisor says', async () => {
  const { isReady, send, received, said } = startChild(`
    for (const name of ['one', 'two']) parent.sink.deliver(Buffer.from(name)).then(
      () => console.log(name, 'stored'),
      (error) => console.log(name, error.message),
    );
  `);
  await isReady();
  const [one, two] = received as { id: number }[];
  send({ type: 'hit-batch-answer', id: two!.id, error: 'not stored' });
  await vi.waitFor(() => expect(said()).toBe('two not stored\n'));
  send({ type: 'hit-batch-answer', id: one!.id });
  await vi.waitFor(() => expect(said()).toBe('two not stored\none stored\n'));
});

test('reports are dropped while a message waits to be read, and all else is kept', async () => {
  const { child, isReady, received, said } = startChild(`
    parent.feed.start({ onHead() {
      for (let number = 1; number <= 1_000; number += 1) parent.send({ type: 'report', report: 'x'.repeat(10_000) });
      parent.send({ type: 'applied' });
      console.log('sent');
    } });
  `);
  await isReady();
  child.send({ type: 'head', version: { epoch: 1, seq: 1 } });
  await vi.waitFor(() => {
    expect(said()).toContain('sent');
    expect(received.at(-1)).toEqual({ type: 'applied' });
  });
  // Those of one turn: the first of them fills the channel.
  expect(received.filter(({ type }) => type === 'report')).toHaveLength(1);
});
