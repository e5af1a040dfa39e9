import { expect, it } from 'vitest';
import { uwsConstant } from '../servers/node-servers.js';
import { concludeHosts, concludeRuleMemory, concludeRules } from './conclusions.js';
import { summarize } from './summarize.js';

function server(name: string, cpuUs: readonly number[], changes: { hosts?: number; rules?: number } = {}) {
  const { hosts = 10, rules = 0 } = changes;
  return {
    entrant: {
      name,
      kind: uwsConstant,
      redirects: { hostCount: hosts, rulesPerHost: rules, samplingRate: 0 },
    },
    rounds: cpuUs.map((cpuUsPerRequest) => ({
      requests: 1000,
      cpuUsPerRequest,
      requestsPerSecond: 1e6 / cpuUsPerRequest,
      p50Ms: 10,
      p99Ms: 20,
    })),
    latency: { p50Ms: 1, p99Ms: 2 },
    residentMib: 50,
    memoryInUseMiB: hosts + rules,
    startSeconds: 0.5,
    answersChecked: 10,
    recordsHits: false,
  };
}

const conditions = {
  scenario: 'plain',
  load: 'wrk',
  connections: 4,
  fixedRequestsPerSecond: 100,
  sink: null,
};

it('a summary has the medians of the rounds, the ratios between servers and latencies at a fixed rate', () => {
  const [ours, theirs] = summarize(conditions, [server('waymark', [6, 30, 5]), server('nginx', [12, 60, 5])]);
  expect(ours).toMatchObject({
    ...conditions,
    server: 'waymark',
    cpuUsPerRequest: 6,
    p99Ms: 2,
    ratioToNginx: 0.5,
    ratioToUws: null,
  });
  expect(theirs).toMatchObject({ server: 'nginx', cpuUsPerRequest: 12, ratioToNginx: 1 });
});

it('many rules are compared with ten', () => {
  const rows = concludeRules(summarize(conditions, [server('waymark', [6, 8]), server('ten', [4, 4])]));
  expect(rows.map(({ ratioToRules10 }) => ratioToRules10)).toEqual([1.75, 1]);
});

it('many hosts are compared with few, in CPU time and in bytes', () => {
  const rows = concludeHosts(
    summarize(conditions, [server('waymark', [6], { hosts: 30 }), server('few', [5], { hosts: 10 })]),
  );
  expect(rows[0]).toMatchObject({ ratioToHosts1k: 1.2, bytesPerHost: 1024 * 1024, coldStartSeconds: 0.5 });
  expect(rows[1]).not.toHaveProperty('bytesPerHost');
});

it('the memory of rules is the difference to the same hosts without rules', () => {
  const [ours, peer] = [server('waymark', [6], { rules: 7 }), server('nginx', [6], { rules: 7 })];
  const others = [server('waymark, other rules', [6], { rules: 9 }), server('waymark, no rules', [6])];
  const rows = concludeRuleMemory(summarize(conditions, [ours, peer, ...others]));
  expect(rows.map(({ rulesMiB }) => rulesMiB)).toEqual([7, undefined, 9, undefined]);
  expect(concludeRuleMemory(summarize(conditions, [ours, peer]))[0]).not.toHaveProperty('rulesMiB');
});
