import { expect, test } from 'vitest';
import { readMemory, slopePerHour } from './memory-trend.js';

const MINUTE_MS = 60_000;
const samples = (...mib: readonly number[]) =>
  mib.map((rssMib, minute) => ({ atMs: 1_000 + minute * MINUTE_MS, rssMib, pssMib: -rssMib }));

test.each([
  { what: 'one MiB a minute', of: samples(100, 101, 102, 103), slope: 60 },
  { what: 'a flat line with noise', of: samples(100, 104, 104, 100), slope: 0 },
  { what: 'a single sample', of: samples(100), slope: 0 },
  { what: 'no sample', of: [], slope: 0 },
])('the slope of $what', ({ of, slope }) => {
  expect(slopePerHour(of, 'rssMib')).toBeCloseTo(slope);
  expect(slopePerHour(of, 'pssMib')).toBeCloseTo(-slope);
});

test.runIf(process.platform === 'linux')('the memory of this process is read', async () => {
  const { rssMib, pssMib } = await readMemory(process.pid, 0);
  expect(rssMib).toBeGreaterThan(20);
  expect(pssMib).toBeLessThanOrEqual(rssMib);
});
