import { describe, expect, it } from 'vitest';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { startSynchronizer } from './synchronizer.fixture.js';

const DATABASE = 'aaaaaaaaaaaa';
const A = redirectOf('a.example');
const B = redirectOf('b.example');
const C = redirectOf('c.example');

const version = (seq: number, commit: string, more: Partial<RulesetVersion> = {}): RulesetVersion => ({
  epoch: 100,
  seq,
  lineage: `${DATABASE}-${commit.padEnd(12, '0')}`,
  removals: 0,
  ...more,
});

const SERVED = version(5, 'a5');

/** Live at seq 5 of one history with a.example. */
function startLive() {
  const parts = startSynchronizer();
  parts.feed.follower.onSnapshot({ version: SERVED, redirects: [A] });
  return parts;
}

describe('a data plane', () => {
  it('takes a delta that begins at what it serves', () => {
    const { feed, hosts, state } = startLive();
    feed.follower.onDelta({
      version: version(6, 'a6'),
      previousSeq: 5,
      previousLineage: SERVED.lineage ?? '',
      changes: [{ host: B.host, redirect: B }],
    });
    expect(hosts()).toEqual(['a.example', 'b.example']);
    expect(state()).toBe('live');
  });

  it('asks for a snapshot when a delta begins in another history, though the numbers fit', () => {
    const { feed, hosts, state } = startLive();
    feed.follower.onDelta({
      version: version(6, 'b6'),
      previousSeq: 5,
      previousLineage: version(5, 'b5').lineage ?? '',
      changes: [{ host: C.host, redirect: C }],
    });
    expect(hosts()).toEqual(['a.example']);
    expect(state()).toBe('resync');
    expect(feed.requests).toBe(1);
    feed.follower.onSnapshot({ version: version(6, 'b6'), redirects: [B, C] });
    expect(hosts()).toEqual(['b.example', 'c.example']);
    expect(state()).toBe('live');
  });

  it('asks for a snapshot when the head has its numbers in another history', () => {
    const { feed, hosts, state, clock } = startLive();
    feed.follower.onHead(version(5, 'b5'));
    clock.advance(1_000);
    expect(state()).toBe('resync');
    expect(feed.requests).toBe(1);
    feed.follower.onSnapshot({ version: version(5, 'b5'), redirects: [B] });
    expect(hosts()).toEqual(['b.example']);
    expect(state()).toBe('live');
  });

  it('is content with a head whose lineage is not told', () => {
    const { feed, state, clock } = startLive();
    feed.head(100, 5);
    clock.advance(1_000);
    expect(state()).toBe('live');
    expect(feed.requests).toBe(0);
  });

  it('refuses a snapshot of another database, and takes it once an operator has allowed it', () => {
    const { feed, hosts, synchronizer } = startLive();
    const foreign = { epoch: 101, seq: 0, lineage: 'bbbbbbbbbbbb-000000000000' };
    feed.follower.onSnapshot({ version: { ...foreign, removals: 1_000 }, redirects: [B, C] });
    expect(hosts()).toEqual(['a.example']);
    expect(synchronizer.status().lastError).toContain('another database');
    feed.follower.onSnapshot({ version: { ...foreign, removals: 2 ** 40 }, redirects: [B, C] });
    expect(hosts()).toEqual(['b.example', 'c.example']);
  });

  it('takes a snapshot without most hosts when commits account for it, and not otherwise', () => {
    const { feed, hosts, synchronizer } = startSynchronizer();
    const many = Array.from({ length: 50 }, (_, index) => redirectOf(`host-${index}.example`));
    feed.follower.onSnapshot({ version: SERVED, redirects: many });
    feed.follower.onSnapshot({ version: version(60, 'a60', { removals: 48 }), redirects: [many[0]!] });
    expect(hosts()).toHaveLength(50);
    expect(synchronizer.status().lastError).toContain('no commit removed them');
    feed.follower.onSnapshot({ version: version(61, 'a61', { removals: 49 }), redirects: [many[0]!] });
    expect(hosts()).toEqual(['host-0.example']);
  });
});
