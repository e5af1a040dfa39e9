import pino from 'pino';
import { expect, test } from 'vitest';
import type { RulesetFeed, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import type { ParentMessage } from './ipc-messages.js';
import { createWorkerLinks } from './worker-links.js';

const logger = pino({ level: 'silent' });
const LONG_MS = 600_000;

/** The parent's end of a connected worker that says nothing by itself. */
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

test('changes are applied when the worker says so, who asks meanwhile sharing one question', async () => {
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
