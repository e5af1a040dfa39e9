import { expect, it } from 'vitest';
import { drawBarChart } from './bar-chart.js';
import { serverResult } from './results.fixture.js';

it('the length of a bar is proportional to its value', () => {
  const chart = drawBarChart([
    serverResult({ server: 'waymark', cpuUsPerRequest: 5 }),
    serverResult({ server: 'nginx', cpuUsPerRequest: 10 }),
  ]);
  const [ours = 0, theirs = 0] = [...chart.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map((match) =>
    Number(match[1]),
  );
  expect(ours).toBeGreaterThan(0);
  expect(theirs / ours).toBeCloseTo(2, 2);
});

it('only our bar has the other colour', () => {
  const chart = drawBarChart([serverResult({ server: 'waymark' }), serverResult({ server: 'nginx' })]);
  expect(chart.match(/class="ours"/g)).toHaveLength(1);
});
