import { describe, expect, it } from 'vitest';
import { redirectOf } from './redirect-definition.fixture.js';
import { startSynchronizer } from './synchronizer.fixture.js';

const EPOCH = 100;
const A = redirectOf('a.example');
const B = redirectOf('b.example');
const C = redirectOf('c.example');
const ADD_B = { host: 'b.example', redirect: B };
const ADD_C = { host: 'c.example', redirect: C };

/** Live at seq 5 with a.example. */
function startLive() {
  const parts = startSynchronizer();
  parts.feed.snapshot(EPOCH, 5, [A]);
  return parts;
}

describe('a synchronizer that starts', () => {
  it('is cold and takes no delta until the first snapshot', () => {
    const { feed, state, table } = startSynchronizer();
    expect(state()).toBe('cold');
    feed.delta(EPOCH, 5, 6, [ADD_B]);
    expect(table.version).toBeUndefined();
    expect(state()).toBe('cold');
  });

  it('is live with the first snapshot, even with an empty one', () => {
    const { feed, state, table, changes } = startSynchronizer();
    feed.snapshot(EPOCH, 1, []);
    expect(state()).toBe('live');
    expect(table.versionText).toBe('100.1');
    expect(changes).toEqual(['100.1']);
  });

  it('serves what was saved as stale until the feed confirms it', () => {
    const snapshot = { version: { epoch: EPOCH, seq: 5 }, redirects: [A] };
    const { feed, state, hosts, synchronizer, clock } = startSynchronizer({
      snapshot,
      savedAtMs: 1_699_999_990_000,
    });
    expect(state()).toBe('stale');
    expect(hosts()).toEqual(['a.example']);
    expect(synchronizer.status().ageMs).toBe(10_000);
    feed.delta(EPOCH, 5, 6, [ADD_B]);
    expect(state()).toBe('live');
    clock.advance(300);
    expect(synchronizer.status().ageMs).toBe(300);
  });

  it('says which ruleset it has, unless redirects are missing that an older release could not serve', () => {
    const snapshot = { version: { epoch: EPOCH, seq: 5 }, redirects: [A] };
    expect(startSynchronizer({ snapshot, savedAtMs: 0 }).feed.known).toEqual(snapshot.version);
    const incomplete = startSynchronizer({ snapshot: { ...snapshot, isIncomplete: true }, savedAtMs: 0 });
    expect(incomplete.feed.known).toBeUndefined();
    expect(incomplete.hosts()).toEqual(['a.example']);
    incomplete.feed.snapshot(EPOCH, 5, [A, B]);
    expect(incomplete.hosts()).toEqual(['a.example', 'b.example']);
    expect(incomplete.table.isIncomplete).toBe(false);
  });

  it('does not ask while the first snapshot is on its way, but does when it does not come', () => {
    const { feed, clock } = startSynchronizer();
    expect(feed.requests).toBe(0);
    clock.advance(999);
    expect(feed.requests).toBe(0);
    clock.advance(1);
    expect(feed.requests).toBe(1);
  });
});

describe('what is logged of a feed that does not answer', () => {
  const UNANSWERED = 'no answer to the request for a ruleset snapshot';

  it('is nothing in the first half minute of a start: who answers may be making its databases', () => {
    const { clock, warnings } = startSynchronizer();
    clock.advance(30_000);
    expect(warnings).toEqual([]);
  });

  it('is a warning once a start has waited for more than a minute', () => {
    const { clock, warnings } = startSynchronizer();
    clock.advance(62_000);
    expect(warnings).toEqual([UNANSWERED]);
  });

  it('is one warning a minute at most, however long it lasts', () => {
    const { clock, warnings } = startSynchronizer();
    clock.advance(11 * 60_000);
    expect(warnings.length).toBeGreaterThan(5);
    expect(warnings.length).toBeLessThanOrEqual(10);
  });

  it('is a warning within seconds where it has answered before', () => {
    const { feed, clock, warnings } = startLive();
    feed.delta(EPOCH, 6, 7, [ADD_C]);
    clock.advance(7_000);
    expect(warnings).toEqual([UNANSWERED]);
  });
});

describe('a live synchronizer', () => {
  it('applies the delta that follows and announces it', () => {
    const { feed, state, hosts, changes } = startLive();
    feed.delta(EPOCH, 5, 7, [ADD_B]);
    expect(hosts()).toEqual(['a.example', 'b.example']);
    expect(state()).toBe('live');
    expect(changes).toEqual(['100.5', '100.7']);
  });

  it.each([
    { name: 'a repeated delta', epoch: EPOCH, previousSeq: 4, seq: 5 },
    { name: 'a late delta', epoch: EPOCH, previousSeq: 2, seq: 3 },
    { name: 'a delta of an older epoch', epoch: EPOCH - 1, previousSeq: 5, seq: 600 },
  ])('ignores $name', ({ epoch, previousSeq, seq }) => {
    const { feed, state, hosts, table } = startLive();
    feed.delta(epoch, previousSeq, seq, [ADD_B]);
    expect(hosts()).toEqual(['a.example']);
    expect(table.versionText).toBe('100.5');
    expect(state()).toBe('live');
    expect(feed.requests).toBe(0);
  });

  it.each([
    { name: 'a gap', epoch: EPOCH, previousSeq: 6, seq: 7 },
    { name: 'a delta that begins before what is served', epoch: EPOCH, previousSeq: 4, seq: 6 },
    { name: 'another epoch, even where the numbers fit', epoch: EPOCH + 1, previousSeq: 5, seq: 6 },
  ])('goes on serving and asks once for a snapshot after $name', ({ epoch, previousSeq, seq }) => {
    const { feed, state, hosts } = startLive();
    feed.delta(epoch, previousSeq, seq, [ADD_B]);
    feed.delta(epoch, seq, seq + 1, [ADD_C]);
    expect(hosts()).toEqual(['a.example']);
    expect(state()).toBe('resync');
    expect(feed.requests).toBe(1);
    feed.snapshot(epoch, seq + 1, [A, B, C]);
    expect(hosts()).toEqual(['a.example', 'b.example', 'c.example']);
    expect(state()).toBe('live');
  });

  it.each([
    { name: 'seq', epoch: EPOCH, seq: 4 },
    { name: 'epoch', epoch: EPOCH - 1, seq: 900 },
  ])('refuses a snapshot of an older $name and says so until something good comes', ({ epoch, seq }) => {
    const { feed, state, hosts, synchronizer } = startLive();
    feed.snapshot(epoch, seq, []);
    expect(hosts()).toEqual(['a.example']);
    expect(state()).toBe('live');
    expect(synchronizer.status().lastError).toBe(`refused snapshot ${epoch}.${seq}: 100.5 is newer`);
    feed.delta(EPOCH, 5, 6, []);
    expect(synchronizer.status().lastError).toBeUndefined();
  });

  it('takes a snapshot of a newer epoch though its seq is lower', () => {
    const { feed, hosts, table } = startLive();
    feed.snapshot(EPOCH + 1, 1, [B]);
    expect(table.versionText).toBe('101.1');
    expect(hosts()).toEqual(['b.example']);
  });

  it('keeps what it serves when a message is broken, reports it and asks for a snapshot', () => {
    const { feed, hosts, synchronizer } = startLive();
    feed.snapshot(EPOCH, 6, undefined as never);
    expect(hosts()).toEqual(['a.example']);
    expect(synchronizer.status().lastError).toContain('a ruleset snapshot could not be applied');
    expect(feed.requests).toBe(1);
  });
});

describe('a synchronizer that is behind', () => {
  it('catches up when deltas merely came in the wrong order', () => {
    const { feed, state, table } = startLive();
    feed.delta(EPOCH, 6, 7, [ADD_C]);
    feed.delta(EPOCH, 5, 6, [ADD_B]);
    expect(state()).toBe('resync');
    feed.delta(EPOCH, 6, 7, [ADD_C]);
    expect(state()).toBe('live');
    expect(table.versionText).toBe('100.7');
  });

  it('stays behind when the snapshot was made before the change it misses', () => {
    const { feed, clock, state } = startLive();
    feed.delta(EPOCH, 7, 8, [ADD_B]);
    feed.snapshot(EPOCH, 7, [A]);
    expect(state()).toBe('resync');
    clock.advance(1_000);
    expect(feed.requests).toBe(2);
    feed.snapshot(EPOCH, 8, [A, B]);
    expect(state()).toBe('live');
  });

  it('asks again ever more slowly, at most every 30 s, and calls itself stale meanwhile', () => {
    const { feed, clock, state } = startLive();
    feed.delta(EPOCH, 6, 7, [ADD_B]);
    const waits: number[] = [];
    let lastMs = clock.nowMs();
    for (let requests = 1; requests < 9; ) {
      clock.advance(500);
      if (feed.requests === requests) continue;
      requests = feed.requests;
      waits.push(clock.nowMs() - lastMs);
      lastMs = clock.nowMs();
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(state()).toBe('stale');
    feed.snapshot(EPOCH, 7, [A, B]);
    expect(state()).toBe('live');
    const asked = feed.requests;
    clock.advance(120_000);
    expect(feed.requests).toBe(asked);
  });

  it('asks no more once stopped', () => {
    const { feed, clock, synchronizer } = startLive();
    feed.delta(EPOCH, 6, 7, [ADD_B]);
    synchronizer.stop();
    clock.advance(120_000);
    expect(feed.requests).toBe(1);
    expect(feed.isStopped).toBe(true);
    expect(clock.pending()).toBe(0);
  });
});

describe('a synchronizer that is told the head', () => {
  it('counts its age from the last time what it serves was confirmed', () => {
    const { feed, clock, state, synchronizer } = startLive();
    clock.advance(9_000);
    expect(synchronizer.status().ageMs).toBe(9_000);
    feed.head(EPOCH, 5);
    expect(synchronizer.status().ageMs).toBe(0);
    clock.advance(9_000);
    expect(state()).toBe('live');
  });

  it('is stale once the feed has been silent for 10 s, and live when it is heard again', () => {
    const { feed, clock, state, hosts } = startLive();
    clock.advance(4_000);
    feed.head(EPOCH, 5);
    clock.advance(9_999);
    expect(state()).toBe('live');
    clock.advance(1);
    expect(state()).toBe('stale');
    expect(hosts()).toEqual(['a.example']);
    feed.head(EPOCH, 5);
    expect(state()).toBe('live');
    clock.advance(10_000);
    expect(state()).toBe('stale');
  });

  it.each([
    ['back', -3_600_000],
    ['ahead', 3_600_000],
  ])('measures that silence rightly when the clock is set an hour %s', (_direction, byMs) => {
    const { clock, state, synchronizer } = startLive();
    clock.jump(byMs);
    clock.advance(9_999);
    expect(state()).toBe('live');
    expect(synchronizer.status().ageMs).toBe(9_999);
    clock.advance(1);
    expect(state()).toBe('stale');
  });

  it('shows how far a ruleset is that is on its way, until something good comes', () => {
    const { feed, synchronizer } = startSynchronizer();
    expect(synchronizer.status().progress).toBeUndefined();
    feed.follower.onProgress?.('read 1 of 9 parts of the ruleset');
    expect(synchronizer.status().progress).toBe('read 1 of 9 parts of the ruleset');
    feed.snapshot(100, 1, []);
    expect(synchronizer.status().progress).toBeUndefined();
  });

  it('asks for no snapshot where something was saved, as long as nothing newer is told', () => {
    const snapshot = { version: { epoch: 100, seq: 5 }, redirects: [] };
    const { feed, clock } = startSynchronizer({ snapshot, savedAtMs: 1_699_999_990_000 });
    clock.advance(60_000);
    feed.head(100, 5);
    expect(feed.requests).toBe(0);
    feed.head(100, 6);
    clock.advance(1_000);
    expect(feed.requests).toBe(1);
  });

  it('is live when the head confirms what was saved', () => {
    const snapshot = { version: { epoch: EPOCH, seq: 5 }, redirects: [A] };
    const { feed, state } = startSynchronizer({ snapshot, savedAtMs: 1_699_999_990_000 });
    feed.head(EPOCH, 5);
    expect(state()).toBe('live');
  });

  it('waits a moment for the changes that lead to it before it asks for a snapshot', () => {
    const { feed, clock, state } = startLive();
    feed.head(EPOCH, 6);
    feed.head(EPOCH, 7);
    clock.advance(999);
    expect(state()).toBe('live');
    expect(feed.requests).toBe(0);
    clock.advance(1);
    expect(state()).toBe('resync');
    expect(feed.requests).toBe(1);
  });

  it('asks for nothing when the changes come in time', () => {
    const { feed, clock, state } = startLive();
    feed.head(EPOCH, 6);
    clock.advance(500);
    feed.delta(EPOCH, 5, 6, [ADD_B]);
    clock.advance(5_000);
    expect(state()).toBe('live');
    expect(feed.requests).toBe(0);
  });

  it('takes an older head neither for a confirmation nor for a reason to go back', () => {
    const { feed, clock, state, table } = startLive();
    clock.advance(5_000);
    feed.head(EPOCH, 4);
    clock.advance(5_000);
    expect(state()).toBe('stale');
    expect(table.versionText).toBe('100.5');
  });

  it('shows what the feed says is wrong until it is confirmed again', () => {
    const { feed, synchronizer } = startLive();
    feed.problem('nobody answers');
    expect(synchronizer.status().lastError).toBe('nobody answers');
    feed.head(EPOCH, 5);
    expect(synchronizer.status().lastError).toBeUndefined();
  });
});

describe('a snapshot that has lost most of the hosts', () => {
  const manyHosts = (count: number) =>
    Array.from({ length: count }, (_, index) => redirectOf(`host-${index}.example`));

  function startWith(count: number) {
    const parts = startSynchronizer();
    parts.feed.snapshot(EPOCH, 5, manyHosts(count));
    return parts;
  }

  it('is refused with a word on what to do, while what was there is served', () => {
    const { feed, hosts, synchronizer } = startWith(101);
    feed.snapshot(EPOCH, 6, manyHosts(50));
    expect(hosts()).toHaveLength(101);
    expect(synchronizer.status().lastError).toBe(
      'refused snapshot 100.6: it has 50 hosts where 101 are served, and no commit removed them; begin a new epoch if that is meant',
    );
  });

  it.each([
    { name: 'half of them are left', served: 102, epoch: EPOCH, left: 51 },
    { name: 'there were only ten', served: 10, epoch: EPOCH, left: 0 },
    {
      name: 'a control plane of an older release has begun a new epoch',
      served: 101,
      epoch: EPOCH + 1,
      left: 0,
    },
  ])('is served when $name', ({ served, epoch, left }) => {
    const { feed, hosts, state } = startWith(served);
    feed.snapshot(epoch, 6, manyHosts(left));
    expect(hosts()).toHaveLength(left);
    expect(state()).toBe('live');
  });
});
