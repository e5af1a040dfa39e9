import { describe, expect, it } from 'vitest';
import { ANY_LOSS, whyNotReplaced } from './replacement.js';
import type { RulesetVersion } from './ruleset-version.js';

const A = 'aaaaaaaaaaaa-000000000001';
const LATER = 'aaaaaaaaaaaa-000000000002';
const FOREIGN = 'bbbbbbbbbbbb-000000000001';

const size = (hosts: number, version: Partial<RulesetVersion> = {}) => ({
  hosts,
  version: { epoch: 100, seq: 5, ...version },
});

describe('a ruleset may replace another one', () => {
  it.each([
    ['that it follows', size(100, { lineage: A, removals: 0 }), size(101, { lineage: LATER, removals: 0 })],
    ['half of whose hosts it keeps', size(100, { lineage: A }), size(50, { lineage: LATER })],
    ['of no more than ten hosts', size(10, { lineage: A }), size(0, { lineage: LATER })],
    [
      'when commits account for the loss',
      size(1_000, { lineage: A, removals: 7 }),
      size(1, { lineage: LATER, removals: 1_006 }),
    ],
    [
      'when an operator has allowed it',
      size(1_000, { lineage: A, removals: 7 }),
      size(0, { lineage: FOREIGN, removals: 7 + ANY_LOSS }),
    ],
    ['that has no host, whoever made it', size(0, { lineage: A }), size(5, { lineage: FOREIGN })],
    ['of an older epoch, as older releases had it', size(1_000), size(0, { epoch: 101 })],
  ])('%s', (_name, served, next) => {
    expect(whyNotReplaced(served, next)).toBeUndefined();
  });
});

describe('a ruleset may not replace another one', () => {
  it.each([
    ['that has lost most hosts', size(1_000), size(499)],
    [
      'that has lost most hosts in a new epoch',
      size(60, { lineage: A }),
      size(0, { epoch: 101, lineage: LATER }),
    ],
    [
      'when commits account for a part of the loss',
      size(1_000, { lineage: A, removals: 0 }),
      size(1, { lineage: LATER, removals: 998 }),
    ],
    ['of another database', size(1, { lineage: A }), size(1_000, { epoch: 101, lineage: FOREIGN })],
    [
      'of another database, whatever that has removed',
      size(5, { lineage: A, removals: 0 }),
      size(5, { lineage: FOREIGN, removals: 1_000_000 }),
    ],
    ['when it is that of a new database', size(1), size(0, { epoch: 101, lineage: A, removals: 0 })],
  ])('%s', (_name, served, next) => {
    expect(whyNotReplaced(served, next)).toMatch(/^it (has|comes from)/);
  });
});
