import type { ServerResult } from '../scenarios/scenario.js';

/** A result with round numbers. */
export function serverResult(changes: Partial<ServerResult> = {}): ServerResult {
  const round = { requests: 1000, cpuUsPerRequest: 8, requestsPerSecond: 12_345, p50Ms: 0.5, p99Ms: 1.25 };
  return {
    scenario: 'plain',
    server: 'waymark',
    load: 'wrk',
    hosts: 10_000,
    connections: 64,
    samplingRate: 0,
    cpuUsPerRequest: 8,
    requestsPerSecond: 12_345,
    p50Ms: 0.5,
    p99Ms: 1.25,
    rssMiB: 100.4,
    ratioToNginx: 1,
    ratioToUws: null,
    answersChecked: 200,
    rounds: [round, { ...round, cpuUsPerRequest: 9.5 }],
    ...changes,
  };
}
