import pino from 'pino';
import { expect, test, vi } from 'vitest';
import type { RulesetFeed, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import type { ParentMessage } from './ipc-messages.js';
import { createWorkerLinks } from './worker-links.js';

const logger = pino({ level: 'silent' });
const LONG_MS = 600_000;

/** The parent's end of a connected worker that sends nothing unless a test does. */
function connectedLinks(answerLimitMs: number) {
  const sent: ParentMessage['type'][] = [];
  const links = createWorkerLinks(({ type }) => sent.push(type), logger, answerLimitMs);
  let listener: RulesetFeedListener | undefined;
  const feed: RulesetFeed = {
    start(started) {
      listener = started;
    },
    requestSnapshot() {},
    stop() {},
  };
  links.connect({ createFeed: () => feed, sink: undefined, takeReport() {} });
  links.requestSnapshot();
  const questions = () => sent.filter((type) => type === 'applied-wanted').length;
  return { links, questions, applied: () => listener?.applied?.() ?? Promise.reject(new Error('no feed')) };
}

const turn = () => new Promise(setImmediate);

/** Whether `work` has ended by the next turn. */
const hasEnded = (work: Promise<void>) => Promise.race([work.then(() => true), turn().then(() => false)]);

test('changes are applied when the worker confirms it; callers in the meantime share one question', async () => {
  const { links, questions, applied } = connectedLinks(LONG_MS);
  const first = applied();
  await turn();
  const others = [applied(), applied()];
  expect(await hasEnded(first)).toBe(false);

  links.takeApplied();
  await first;
  await turn();
  expect(questions()).toBe(2);
  expect(await hasEnded(Promise.race(others)), 'asked after the first question').toBe(false);

  links.takeApplied();
  await Promise.all(others);
});

test('a worker that is silent is waited for once, and again when it has answered', async () => {
  const { links, questions, applied } = connectedLinks(1);
  await applied();
  expect(questions()).toBe(1);
  await applied();
  expect(questions(), 'while it is silent').toBe(1);

  links.takeApplied();
  await turn();
  await applied();
  expect(questions()).toBe(2);
});

test('nobody waits for a worker that is gone', async () => {
  const { links, applied } = connectedLinks(LONG_MS);
  const asked = applied();
  await turn();
  links.cut();
  await asked;
  await applied();
});

const VERSION = { epoch: 1, seq: 7 };

/** The parent's end of a worker, with a feed that records the requests to it. */
function openLinks(deliver: (encoded: Uint8Array) => Promise<void> = async () => {}) {
  const sent: ParentMessage[] = [];
  const links = createWorkerLinks((message) => sent.push(message), logger);
  let listener: RulesetFeedListener | undefined;
  const feed = {
    start: vi.fn((started: RulesetFeedListener) => {
      listener = started;
    }),
    requestSnapshot: vi.fn(),
    stop: vi.fn(),
  };
  const takeReport = vi.fn();
  const parent = { createFeed: vi.fn(() => feed), sink: { deliver }, takeReport };
  return { links, sent, feed, parent, takeReport, listener: () => listener as RulesetFeedListener };
}

test('a worker that has asked for nothing gets no feed', () => {
  const { links, parent } = openLinks();
  links.connect(parent);
  expect(parent.createFeed).not.toHaveBeenCalled();
});

test('a worker that asks before there are links is served when they come, once', () => {
  const { links, parent, feed } = openLinks();
  links.requestSnapshot(VERSION);
  expect(parent.createFeed).not.toHaveBeenCalled();
  links.connect(parent);
  expect(feed.start).toHaveBeenCalledExactlyOnceWith(expect.anything(), VERSION);
  links.connect(parent);
  expect(parent.createFeed).toHaveBeenCalledOnce();
  expect(feed.requestSnapshot).not.toHaveBeenCalled();
});

test('a worker gets a feed of the links that take the place of its own', () => {
  const { links, parent, feed } = openLinks();
  const other = openLinks();
  links.connect(parent);
  links.requestSnapshot(VERSION);
  links.connect(other.parent);
  expect(feed.stop).toHaveBeenCalledOnce();
  expect(other.feed.start, 'a worker has gone on since').toHaveBeenCalledExactlyOnceWith(
    expect.anything(),
    undefined,
  );
});

test('a worker that asks again asks the feed it has', () => {
  const { links, parent, feed } = openLinks();
  links.connect(parent);
  links.requestSnapshot();
  links.requestSnapshot();
  expect(parent.createFeed).toHaveBeenCalledOnce();
  expect(feed.requestSnapshot).toHaveBeenCalledOnce();
});

test('what the feed delivers is sent to the worker', () => {
  const { links, parent, sent, listener } = openLinks();
  links.connect(parent);
  links.requestSnapshot();
  const delta = { version: VERSION, previousSeq: 6, upserts: [], removals: [] } as never;
  listener().onSnapshot({ version: VERSION, redirects: new Set() } as never);
  listener().onDelta(delta);
  listener().onHead(VERSION);
  listener().onProblem('the database is away');
  expect(sent).toEqual([
    { type: 'snapshot', snapshot: { version: VERSION, redirects: [] } },
    { type: 'delta', delta },
    { type: 'head', version: VERSION },
    { type: 'feed-problem', problem: 'the database is away' },
  ]);
});

test('a worker that is gone is served no more', () => {
  const { links, parent, feed } = openLinks();
  links.connect(parent);
  links.requestSnapshot();
  links.cut();
  expect(feed.stop).toHaveBeenCalledOnce();
  links.requestSnapshot();
  expect(feed.requestSnapshot).not.toHaveBeenCalled();
});

test('a batch is acknowledged when it is stored, and refused when it is not', async () => {
  const stored = [1];
  const { links, parent, sent } = openLinks(async ([kind = 0]) => {
    if (!stored.includes(kind)) throw new Error('the disk is full');
  });
  links.takeBatch(4, Uint8Array.of(1));
  expect(sent).toEqual([
    { type: 'hit-batch-answer', id: 4, error: expect.stringContaining('not take hits yet') },
  ]);
  sent.length = 0;
  links.connect(parent);
  links.takeBatch(5, Uint8Array.of(1));
  links.takeBatch(6, Uint8Array.of(2));
  expect(sent, 'not before it is stored').toEqual([]);
  await turn();
  expect(sent).toEqual([
    { type: 'hit-batch-answer', id: 5 },
    { type: 'hit-batch-answer', id: 6, error: 'the batch could not be stored' },
  ]);
});

test('reports of a worker reach the control plane once there is one', () => {
  const { links, parent, takeReport } = openLinks();
  const report = { id: 'a worker' } as never;
  links.takeReport(report);
  links.connect(parent);
  links.takeReport(report);
  expect(takeReport.mock.calls).toEqual([[report]]);
});
