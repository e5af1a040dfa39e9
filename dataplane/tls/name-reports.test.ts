import { expect, it } from 'vitest';
import { createNameReports } from './name-reports.js';

const names = (count: number, zone: string) =>
  Array.from({ length: count }, (_, index) => `n${index}.${zone}`);

it('reports a name once in an hour, and again after a report that failed', () => {
  let nowMs = 0;
  const reports = createNameReports(() => nowMs);
  reports.see('a.shop.example', '*.shop.example');
  reports.see('a.shop.example', '*.shop.example');
  expect(reports.next()).toEqual(['a.shop.example']);
  expect(reports.next()).toEqual(['a.shop.example']);
  reports.sent(reports.next());
  reports.see('a.shop.example', '*.shop.example');
  expect(reports.next()).toEqual([]);
  nowMs = 3_600_000;
  reports.see('a.shop.example', '*.shop.example');
  expect(reports.next()).toEqual(['a.shop.example']);
  expect(reports.stats).toEqual({ reported: 1, beyondLimit: 0 });
});

it('reports 50 names of a wildcard in an hour, and those of others beside them', () => {
  const reports = createNameReports(() => 0);
  for (const name of names(100_000, 'flood.example')) reports.see(name, '*.flood.example');
  reports.see('a.quiet.example', '*.quiet.example');
  expect(reports.next()).toEqual([...names(50, 'flood.example'), 'a.quiet.example']);
  expect(reports.stats.beyondLimit).toBe(99_950);
});

it('reports 100 names at once and keeps 5,000', () => {
  const reports = createNameReports(() => 0);
  for (let zone = 0; zone < 200; zone += 1) {
    for (const name of names(50, `z${zone}.example`)) reports.see(name, `*.z${zone}.example`);
  }
  let count = 0;
  for (let next = reports.next(); next.length > 0; next = reports.next()) {
    expect(next.length).toBeLessThanOrEqual(100);
    count += next.length;
    reports.sent(next);
  }
  expect(count).toBe(5_000);
});
