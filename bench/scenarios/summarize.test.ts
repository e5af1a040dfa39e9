import { expect, it } from 'vitest';
import { summarize } from './summarize.js';

function rounds(...cpuUs: number[]) {
  return cpuUs.map((cpuUsPerRequest) => ({
    requests: 1000,
    cpuUsPerRequest,
    requestsPerSecond: 1e6 / cpuUsPerRequest,
    p50Ms: 1,
    p99Ms: 2,
  }));
}

const conditions = { scenario: 'plain', load: 'wrk', hosts: 10, connections: 4, samplingRate: 0 };
const facts = { residentMib: 50, answersChecked: 10 };

it('a summary has the medians of the rounds and the ratios between servers', () => {
  const [ours, theirs] = summarize(conditions, [
    { server: 'waymark', rounds: rounds(6, 30, 5), ...facts },
    { server: 'nginx', rounds: rounds(12, 60, 5), ...facts },
  ]);
  expect(ours).toMatchObject({
    ...conditions,
    server: 'waymark',
    cpuUsPerRequest: 6,
    ratioToNginx: 0.5,
    ratioToUws: null,
  });
  expect(theirs).toMatchObject({ server: 'nginx', cpuUsPerRequest: 12, ratioToNginx: 1 });
});
