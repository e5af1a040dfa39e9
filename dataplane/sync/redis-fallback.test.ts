import { expect, it, vi } from 'vitest';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { createManualClock } from './clock.fixture.js';
import { createRedisFallback } from './redis-fallback.js';

const VERSION = { epoch: 100, seq: 5 };

/** A fallback of a source that answers as `answer` does when it is asked. */
function startFallback(answer: () => Promise<RulesetSnapshot | RulesetDelta | undefined>) {
  const clock = createManualClock();
  const redis = { isGone: true };
  const asked: (RulesetVersion | undefined)[] = [];
  const told: string[] = [];
  const fallback = createRedisFallback({
    source: {
      read(known) {
        asked.push(known);
        return answer();
      },
    },
    isNeeded: () => redis.isGone,
    known: () => VERSION,
    onDelta: ({ version }) => told.push(`delta ${version.seq}`),
    onSnapshot: ({ version }) => told.push(`snapshot ${version.seq}`),
    onNothingNewer: ({ seq }) => told.push(`nothing newer than ${seq}`),
    onProblem: (problem) => told.push(problem),
    clock,
    random: () => 0.5,
  });
  fallback.start();
  /** Moves time on to the next poll, and lets it end. */
  async function poll() {
    clock.advance(2_000);
    await vi.waitFor(() => expect(clock.pending()).toBe(1));
  }
  return { clock, redis, asked, told, fallback, poll };
}

it('asks every 2 s, with what is known, for as long as Redis does not do', async () => {
  const { redis, asked, told, poll } = startFallback(async () => ({
    version: { epoch: 100, seq: 6 },
    redirects: [],
  }));
  await poll();
  await poll();
  expect(asked).toEqual([VERSION, VERSION]);
  expect(told).toEqual(['snapshot 6', 'snapshot 6']);
  redis.isGone = false;
  await poll();
  expect(asked).toHaveLength(2);
});

it('hands on a delta as one', async () => {
  const { told, poll } = startFallback(async () => ({
    version: { epoch: 100, seq: 6 },
    previousSeq: 5,
    changes: [],
  }));
  await poll();
  expect(told).toEqual(['delta 6']);
});

it('confirms what is known when there is nothing newer', async () => {
  const { told, poll } = startFallback(async () => undefined);
  await poll();
  expect(told).toEqual(['nothing newer than 5']);
});

it('says what is wrong and goes on asking', async () => {
  const { told, poll } = startFallback(() => Promise.reject(new Error('nobody there')));
  await poll();
  await poll();
  expect(told).toEqual(['nobody there', 'nobody there']);
});

it('has one question under way at a time, and hands nothing on after its end', async () => {
  let answer = (_snapshot: RulesetSnapshot) => {};
  const { clock, asked, told, fallback } = startFallback(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  clock.advance(20_000);
  expect(asked).toHaveLength(1);
  fallback.stop();
  answer({ version: VERSION, redirects: [] });
  await new Promise(setImmediate);
  expect(told).toEqual([]);
  expect(clock.pending()).toBe(0);
});
