import { expect, test } from 'vitest';
import type { PlaneStats } from './load/load-messages.js';
import { judge, type Observations } from './verdict.js';

const PLANE: PlaneStats = {
  answered: 5_000,
  failed: 0,
  failedWhileDown: 0,
  wrong: 0,
  unanswered: 0,
  answeredShortlyBefore: 0,
  counters: [7],
  examples: [],
  askedForMs: 5_000,
  p99Ms: 3,
};
const GOOD: Observations = {
  allowedLoss: 'none',
  requestsPerSecond: 1_000,
  load: { planes: [PLANE, PLANE] },
  seen: [[5, 6, 7]],
  written: [{ acknowledged: 7, possible: new Set([5, 6, 7, 8]) }],
  committed: [7],
  refusedWrites: [],
  missingRedirects: [],
  convergedMs: 20,
  accounts: {
    recorded: 10_000,
    stored: 10_000,
    lost: 0,
    duplicated: 0,
    dropped: 0,
    killed: 0,
    lostByProducers: 0,
  },
  failedChecks: [],
};
const withSecond = (plane: Partial<PlaneStats>) => ({
  load: { planes: [PLANE, { ...PLANE, ...plane }] },
});
const withAccounts = (accounts: Partial<Observations['accounts']>) => ({
  accounts: { ...GOOD.accounts, ...accounts },
});
const DROPPED = { lost: 1_000, dropped: 1_000, lostByProducers: 1_000 };
const KILLED = { allowedLoss: 'killed', ...withSecond({ answeredShortlyBefore: 100 }) } as const;

test.each<{ what: string; change: Partial<Observations> }>([
  { what: 'everything as it should be', change: {} },
  { what: 'a write that nobody knows of having been done', change: { committed: [7], seen: [[8, 7]] } },
  { what: 'failures of a dead data plane', change: withSecond({ failedWhileDown: 900 }) },
  {
    what: 'a loss by a kill that is counted but for the last moment',
    change: {
      ...KILLED,
      ...withAccounts({ recorded: 9_500, stored: 9_500, killed: 400, lostByProducers: 400 }),
    },
  },
  {
    what: 'drops that the product has counted, where they are allowed',
    change: { allowedLoss: 'dropped', ...withAccounts({ stored: 9_000, ...DROPPED }) },
  },
])('$what passes', ({ change }) => {
  expect(judge({ ...GOOD, ...change })).toEqual([]);
});

test.each<{ what: string; change: Partial<Observations>; says: string }>([
  {
    what: 'a failed request',
    change: withSecond({ failed: 1 }),
    says: '1 requests to a live data plane failed',
  },
  { what: 'a wrong answer', change: withSecond({ wrong: 1 }), says: '1 answers were wrong' },
  { what: 'a data plane that stays behind', change: { convergedMs: undefined }, says: 'did not converge' },
  {
    what: 'a load that is too slow',
    change: withSecond({ askedForMs: 10_000 }),
    says: 'only 500 requests a second went to data plane 2',
  },
  {
    what: 'a write that is refused',
    change: { refusedWrites: ['PUT answered 404'] },
    says: 'PUT answered 404',
  },
  { what: 'a lost redirect', change: { missingRedirects: ['a.localhost'] }, says: 'a.localhost' },
  {
    what: 'a lost write',
    change: { committed: [6], ...withSecond({ counters: [6] }) },
    says: 'lost an acknowledged write',
  },
  {
    what: 'what was never committed',
    change: { seen: [[5, 9]] },
    says: 'm0 showed what was never committed: 9',
  },
  {
    what: 'an old end',
    change: withSecond({ counters: [6] }),
    says: 'data plane 2 ended with 6 for m0, not 7',
  },
  { what: 'a hit stored twice', change: withAccounts({ duplicated: 1 }), says: '1 hits are stored twice' },
  {
    what: 'a hit that is neither stored nor lost',
    change: withAccounts({ stored: 9_999 }),
    says: 'recorded 10000 is not stored 9999 + lost 0',
  },
  {
    what: 'hits that the product never counted',
    change: withAccounts({ recorded: 9_999, stored: 9_999 }),
    says: 'visitors got 10000 redirects, the product recorded 9999',
  },
  {
    what: 'a counted loss where none is allowed',
    change: withAccounts({ stored: 9_999, lost: 1, dropped: 1 }),
    says: '1 hits were lost',
  },
  {
    what: 'a loss that the data planes do not know of',
    change: { allowedLoss: 'dropped', ...withAccounts({ stored: 9_999, lost: 1 }) },
    says: '1 hits are lost but 0 were dropped',
  },
  {
    what: 'more of a kill that is not counted than its last moment',
    change: { ...KILLED, ...withAccounts({ recorded: 9_499, stored: 9_499, killed: 400 }) },
    says: 'more than the 100 of the last moment',
  },
  {
    what: 'a kill that the store is not told of',
    change: { ...KILLED, ...withAccounts({ recorded: 9_500, stored: 9_500, killed: 400 }) },
    says: 'the producers lost 0 hits, not 0 + 400',
  },
  {
    what: 'a process that is lost where none is killed',
    change: withAccounts({ recorded: 9_600, stored: 9_600, killed: 400, lostByProducers: 400 }),
    says: '400 hits went with a process',
  },
  {
    what: 'hits out of nothing',
    change: { ...KILLED, ...withAccounts({ recorded: 10_001, stored: 10_001 }) },
    says: 'that nobody caused',
  },
  { what: 'a check of the fault', change: { failedChecks: ['it was too easy'] }, says: 'it was too easy' },
])('$what fails', ({ change, says }) => {
  expect(judge({ ...GOOD, ...change }).join('\n')).toContain(says);
});
