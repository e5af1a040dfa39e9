import { expect, test } from 'vitest';
import { isAnyAnswering, poolReadiness } from './pool-readiness.js';
import type { SlotStatus } from './worker-slot.js';

const status = (version: string | null, ready = version !== null): SlotStatus => ({
  readiness: {
    ready,
    version,
    ageMs: version === null ? null : 5,
    state: version === null ? 'cold' : 'live',
    hosts: 2,
    lastError: null,
  },
  metrics: [],
});

test('several processes are shown as the one furthest behind', () => {
  const statuses = [status('1700000000.10'), status('1700000000.9'), status('1700000001.1')];
  expect(poolReadiness(statuses)).toMatchObject({
    ready: true,
    version: '1700000000.9',
    workers: { wanted: 3, ready: 3 },
  });
});

test('one without a ruleset takes connections and cannot answer them: all are not ready', () => {
  expect(poolReadiness([status('1700000000.1'), status(null)])).toMatchObject({
    ready: false,
    version: null,
    workers: { wanted: 2, ready: 1 },
  });
});

test('one that is absent takes no connections: the others are ready without it', () => {
  expect(poolReadiness(['absent', status('1700000000.1')])).toMatchObject({
    ready: true,
    version: '1700000000.1',
    workers: { wanted: 2, ready: 1 },
  });
});

test('one that is silent may have taken connections: all are not ready', () => {
  expect(poolReadiness([status('1700000000.1'), 'silent'])).toMatchObject({
    ready: false,
    lastError: 'a data-plane process does not answer',
  });
});

test.each([[[]], [['absent', 'absent'] as const]])('with %j nobody is ready', (statuses) => {
  expect(poolReadiness(statuses)).toMatchObject({ ready: false, version: null, state: 'cold' });
});

test('a pool that is about to stop is not ready, whatever its processes say', () => {
  expect(poolReadiness([status('1700000000.1')], true)).toMatchObject({
    ready: false,
    version: '1700000000.1',
    lastError: 'this process is stopping',
    workers: { wanted: 1, ready: 1 },
  });
});

test.each([
  [[], false],
  [['absent', 'silent'], false],
  [['silent', status(null)], true],
] as const)('of %j some process answers: %s', (statuses, isAnswering) => {
  expect(isAnyAnswering(statuses)).toBe(isAnswering);
});
