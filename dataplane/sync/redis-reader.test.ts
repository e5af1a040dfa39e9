import { expect, it } from 'vitest';
import type { RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import { createManualClock } from './clock.fixture.js';
import { ColdRedirects } from './cold/cold-redirects.js';
import { createRulesetDelivery } from './redis-delivery.js';
import { createRedisReader } from './redis-reader.js';

const VERSION = { epoch: 100, seq: 5 };

/** A reader of a Redis that holds an empty snapshot, without chance. */
function startReader() {
  const clock = createManualClock();
  let snapshotsRead = 0;
  const listener = {
    onSnapshot() {},
    onDelta() {},
    onHead() {},
    onProblem() {},
  } satisfies RulesetFeedListener;
  const delivery = createRulesetDelivery(listener);
  const reader = createRedisReader({
    ruleset: {
      readAfter: async () => ({ deltas: [], isFull: false, head: VERSION, confirmed: VERSION }),
      async readSnapshot() {
        snapshotsRead += 1;
        return { version: VERSION, redirects: new ColdRedirects() };
      },
    },
    delivery,
    clock,
    random: () => 0.5,
  });
  return { clock, delivery, reader, snapshotsRead: () => snapshotsRead };
}

it.each([
  ['as it is', 0],
  ['set an hour back', -3_600_000],
  ['set an hour ahead', 3_600_000],
])('reads a snapshot at most once a second, with the clock %s', async (_how, byMs) => {
  const { clock, delivery, reader, snapshotsRead } = startReader();
  await reader.read();
  clock.jump(byMs);
  delivery.wantSnapshot();
  clock.advance(999);
  await reader.read();
  expect(snapshotsRead()).toBe(1);
  clock.advance(1);
  await reader.read();
  expect(snapshotsRead()).toBe(2);
});
