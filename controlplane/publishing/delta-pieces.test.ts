import { expect, it } from 'vitest';
import { leadsOnFrom, type RulesetChange, type RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import { piecesOf } from './delta-pieces.js';

const LINEAGE = '0123456789ab-0123456789ab';

function deltaOf(hosts: readonly string[], changed = hosts.length): RulesetDelta {
  return {
    version: { epoch: 1, seq: 10 + changed, lineage: LINEAGE, removals: 3 },
    previousSeq: 10,
    previousLineage: '0123456789ab-aaaaaaaaaaaa',
    changes: hosts.map((host): RulesetChange => ({ host, redirect: null })),
  };
}

const hosts = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.example`);

it('pieces lead from the beginning of a delta to its version, with all its changes in order', () => {
  const delta = deltaOf(hosts(1_000));
  const pieces = piecesOf(delta);
  expect(pieces.map(({ changes }) => changes.length)).toEqual([200, 200, 200, 200, 200]);
  expect(pieces.flatMap(({ changes }) => changes)).toEqual(delta.changes);
  expect(pieces[0]).toMatchObject({ previousSeq: 10, previousLineage: delta.previousLineage });
  expect(pieces.at(-1)?.version).toEqual(delta.version);
  for (const [at, { version }] of pieces.slice(0, -1).entries()) {
    expect(leadsOnFrom(version, pieces[at + 1]!)).toBe(true);
    expect(version.seq).toBe(10 + 200 * (at + 1));
  }
});

it.each([
  { name: 'is short', delta: deltaOf(hosts(200)) },
  { name: 'changes a host twice', delta: deltaOf(hosts(1_000), 1_001) },
  { name: 'has a page of paths', delta: deltaOf([...hosts(300), '/r1/0']) },
])('a delta that $name stays whole', ({ delta }) => {
  expect(piecesOf(delta)).toEqual([delta]);
});
