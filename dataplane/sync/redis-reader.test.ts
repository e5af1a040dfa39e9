import { expect, it } from 'vitest';
import type { RulesetDelta, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import { createManualClock } from './clock.fixture.js';
import { ColdRedirects } from './cold/cold-redirects.js';
import { createRulesetDelivery } from './redis-delivery.js';
import { createRedisReader } from './redis-reader.js';

const VERSION = { epoch: 100, seq: 5 };

/** Three changes of a host, each in a delta of its own. */
const DELTAS = [6, 7, 8].map((seq) => ({
  version: { ...VERSION, seq },
  previousSeq: seq - 1,
  changes: [{ host: 'gone.example', redirect: null }],
}));

/**
 * A reader of a Redis that holds an empty snapshot and deltas after it, without chance.
 *
 * @param onRead called when the deltas have been read
 * @param isThere whether there is a snapshot
 */
function startReader(
  deltas: readonly RulesetDelta[] = [],
  onDelta = () => {},
  onRead = () => {},
  isThere = () => true,
) {
  const head = deltas.at(-1)?.version ?? VERSION;
  const clock = createManualClock();
  let snapshotsRead = 0;
  const listener = {
    onSnapshot() {},
    onDelta,
    onHead() {},
    onProblem() {},
  } satisfies RulesetFeedListener;
  const delivery = createRulesetDelivery(listener);
  const reader = createRedisReader({
    ruleset: {
      readSigns: async () => ({ heartbeatAgeMs: 0, building: undefined }),
      async readAfter() {
        onRead();
        return { deltas, isFull: false, head, confirmed: head };
      },
      async readSnapshot() {
        snapshotsRead += 1;
        if (!isThere()) return undefined;
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

it('looks for a snapshot each time while there is none, and reads the first one at once', async () => {
  let isThere = false;
  const { reader, snapshotsRead } = startReader([], undefined, undefined, () => isThere);
  for (let look = 0; look < 5; look += 1) await expect(reader.read()).rejects.toThrow('holds no ruleset');
  expect(reader.snapshotBadSinceMs).toBeUndefined();
  isThere = true;
  await reader.read();
  expect(snapshotsRead()).toBe(6);
});

it('lets visitors be answered before each of the deltas that it has read at once', async () => {
  const turns: string[] = [];
  const visit = () => setImmediate(() => turns.push('visitor'));
  const onDelta = () => {
    turns.push('delta');
    visit();
  };
  const { delivery, reader } = startReader(DELTAS, onDelta, visit);
  delivery.deliverSnapshot({ version: VERSION, redirects: new ColdRedirects() });
  expect(await reader.read()).toEqual({ ...VERSION, seq: 8 });
  expect(turns).toEqual(['visitor', 'delta', 'visitor', 'delta', 'visitor', 'delta']);
});

it('lets visitors be answered before each of the deltas that bring a snapshot forward', async () => {
  let turns = 0;
  let isReading = true;
  const countTurns = () => {
    turns += 1;
    if (isReading) setImmediate(countTurns);
  };
  const { delivery, reader } = startReader(DELTAS, undefined, () => setImmediate(countTurns));
  expect(await reader.read()).toEqual({ ...VERSION, seq: 8 });
  isReading = false;
  expect(delivery.delivered).toEqual({ ...VERSION, seq: 8 });
  expect(turns).toBeGreaterThanOrEqual(DELTAS.length);
});
