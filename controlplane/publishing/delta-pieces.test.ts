import { expect, it } from 'vitest';
import { whyNotReplaced } from '../../shared/ruleset/replacement.js';
import { leadsOnFrom, type RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import { piecesOf } from './redis-publication.js';
import type { ReadDelta } from './ruleset-repository.js';

const DATABASE = '0123456789ab';
const since = { epoch: 1, seq: 10, lineage: `${DATABASE}-aaaaaaaaaaaa`, removals: 3 };

/** Two commits, with as many hosts each. Nothing is served at the hosts any more. */
function deltaOf(hosts: readonly string[], changed = hosts.length): ReadDelta {
  const removals = since.removals + hosts.length;
  return {
    version: { epoch: 1, seq: 10 + changed, lineage: `${DATABASE}-cccccccccccc`, removals },
    previousSeq: since.seq,
    previousLineage: since.lineage,
    changes: hosts.map((host): RulesetChange => ({ host, redirect: null })),
    commits: hosts.map((_, at) => (at < hosts.length / 2 ? 'bbbbbbbbbbbb' : 'cccccccccccc')),
  };
}

const hosts = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.example`);

it('pieces lead from the beginning of a delta to its version, with all its changes in order', () => {
  const delta = deltaOf(hosts(1_000));
  const pieces = piecesOf(delta, since);
  expect(pieces.map(({ changes }) => changes.length)).toEqual([200, 200, 200, 200, 200]);
  expect(pieces.flatMap(({ changes }) => changes)).toEqual(delta.changes);
  expect(pieces[0]).toMatchObject({ previousSeq: 10, previousLineage: since.lineage });
  expect(pieces.at(-1)?.version).toEqual(delta.version);
  for (const [at, { version }] of pieces.slice(0, -1).entries()) {
    const next = pieces[at + 1];
    expect(next).toMatchObject({ previousLineage: version.lineage });
    expect(next !== undefined && leadsOnFrom(version, next)).toBe(true);
    expect(version.seq).toBe(10 + 200 * (at + 1));
  }
});

it('the version of each piece names the database and the commit', () => {
  const commits = piecesOf(deltaOf(hosts(1_000)), since).map(({ version }) => version.lineage);
  const [first, second] = [`${DATABASE}-bbbbbbbbbbbb`, `${DATABASE}-cccccccccccc`];
  expect(commits).toEqual([first, first, second, second, second]);
});

it('the version of each piece counts the removals up to it, so a data plane accepts the smaller ruleset', () => {
  for (const { version } of piecesOf(deltaOf(hosts(1_000)), since)) {
    const removed = version.seq - since.seq;
    expect(version.removals).toBe(since.removals + removed);
    const served = { version: since, hosts: 1_000 };
    expect(whyNotReplaced(served, { version, hosts: 1_000 - removed })).toBeUndefined();
  }
});

it.each([
  { name: 'is short', delta: deltaOf(hosts(200)) },
  { name: 'changes a host twice', delta: deltaOf(hosts(1_000), 1_001) },
  { name: 'has a page of paths', delta: deltaOf([...hosts(300), '/r1/0']) },
])('a delta that $name stays whole', ({ delta }) => {
  expect(piecesOf(delta, since)).toEqual([delta]);
});
