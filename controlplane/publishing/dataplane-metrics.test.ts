import { pino } from 'pino';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { registerDataplaneMetrics } from './dataplane-metrics.js';
import { reportOf } from './dataplane-report.fixture.js';

let registry: Registry;
let list: () => Promise<readonly DataplaneReport[]>;

beforeEach(() => {
  registry = new Registry();
  registerDataplaneMetrics(registry, {
    reports: { list: () => list() },
    readHead: async () => ({ epoch: 1_700_000_000, seq: 12 }),
    logger: pino({ level: 'silent' }),
  });
});

async function series(): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the metrics of data planes', () => {
  it('say how many there are by state, and of each one what it lacks', async () => {
    list = async () => [
      reportOf('a'),
      reportOf('b', { host: 'edge-2', version: null, state: 'cold', ageMs: null }),
    ];
    expect(await series()).toEqual([
      'waymark_dataplanes{state="cold"} 1',
      'waymark_dataplanes{state="live"} 1',
      'waymark_dataplanes{state="resync"} 0',
      'waymark_dataplanes{state="stale"} 0',
      'waymark_dataplane_behind_changes{host="edge-1",pid="100"} 2',
      'waymark_dataplane_unconfirmed_seconds{host="edge-1",pid="100"} 0.25',
    ]);
  });

  it('forget those that are gone, and read the reports once each time', async () => {
    let readings = 0;
    list = async () => {
      readings += 1;
      return readings === 1 ? [reportOf('a')] : [];
    };
    expect(await series()).toHaveLength(6);
    expect(await series()).toHaveLength(4);
    expect(readings).toBe(2);
  });

  it('stay bounded, whatever is reported', async () => {
    list = async () => Array.from({ length: 1_000 }, (_, pid) => reportOf(`a${pid}`, { pid }));
    expect(await series()).toHaveLength(4 + 2 * 256);
  });

  it('are absent while the reports cannot be read, and the others are not', async () => {
    list = () => Promise.reject(new Error('Redis is gone'));
    expect(await series()).toEqual([]);
    list = async () => [reportOf('a')];
    expect(await series()).toHaveLength(6);
  });
});
