import { emptyRow, type ServerResult } from '../scenarios/results.js';

/** A result with round numbers. */
export function serverResult(changes: Partial<ServerResult> = {}): ServerResult {
  const round = { requests: 1000, cpuUsPerRequest: 8, requestsPerSecond: 12_345, p50Ms: 0.5, p99Ms: 1.25 };
  return {
    ...emptyRow('plain'),
    load: 'wrk',
    connections: 64,
    hosts: 10_000,
    rulesPerHost: 0,
    samplingRate: 0,
    sink: null,
    fixedRequestsPerSecond: 1_000,
    cpuUsPerRequest: 8,
    requestsPerSecond: 12_345,
    p50Ms: 0.5,
    p99Ms: 1.25,
    rssMiB: 100.4,
    memoryInUseMiB: 20,
    startSeconds: 0.25,
    ratioToNginx: 1,
    ratioToUws: null,
    answersChecked: 200,
    rounds: [round, { ...round, cpuUsPerRequest: 9.5 }],
    ...changes,
  };
}
