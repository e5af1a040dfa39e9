import { describe, expect, it } from 'vitest';
import { reportOf } from './dataplane-report.fixture.js';
import { createLocalDataplanes } from './dataplane-reports.js';

describe('the data planes that a process runs itself', () => {
  it('are listed by their last report', async () => {
    const dataplanes = createLocalDataplanes();
    expect(await dataplanes.list()).toEqual([]);
    dataplanes.take(reportOf('a', { state: 'cold' }));
    dataplanes.take(reportOf('b'));
    dataplanes.take(reportOf('a'));
    expect(await dataplanes.list()).toEqual([reportOf('a'), reportOf('b')]);
  });

  it('are gone 15 seconds after their last report', async () => {
    let nowMs = 1_000;
    const dataplanes = createLocalDataplanes(() => nowMs);
    dataplanes.take(reportOf('a'));
    nowMs += 10_000;
    dataplanes.take(reportOf('b'));
    nowMs += 5_001;
    expect(await dataplanes.list()).toEqual([reportOf('b')]);
  });

  it('are at most 256, those known before any others', async () => {
    const dataplanes = createLocalDataplanes();
    for (let i = 0; i < 300; i += 1) dataplanes.take(reportOf(`a${i}`));
    dataplanes.take(reportOf('a0', { state: 'stale' }));
    const listed = await dataplanes.list();
    expect(listed).toHaveLength(256);
    expect(listed[0]).toMatchObject({ id: 'a0', state: 'stale' });
  });
});
