import { performance } from 'node:perf_hooks';
import { readUsage } from '../measure/process-usage.js';
import { percentile } from '../measure/statistics.js';
import { callApi, type Product } from '../product/product.js';

/** Every endpoint of statistics that answers with JSON, below the redirect, over as many days as the default, 30. */
export const MEASURED_ENDPOINTS: readonly string[] = [
  'stats/basic',
  'dashboard',
  'stats/time?interval=hour',
  'stats/time?interval=day',
  'stats/time?interval=week',
  'stats/geo?groupBy=country',
  'stats/geo?groupBy=region',
  'stats/geo?groupBy=city',
  'stats/devices',
  'stats/referrers',
  'stats/hourly',
  'stats/comparison',
  'stats/peak-traffic',
  'stats/return-visitors',
  'stats/status-codes',
  'stats/errors',
  'stats/bots',
  'stats/languages',
  'stats/paths',
  'stats/user-agents',
  'stats/browser-families',
  'stats/device-categories',
  'stats/destination-urls',
  'stats/campaigns',
  'stats/query-params',
  'stats/entries',
  'stats/unmatched-paths',
  'stats?include=basic,time,devices,geo,referrers,browser-families',
  'stats?include=basic,time,geo,devices,referrers,languages,campaigns,hourly,bots,errors',
  'stats?include=comparison,time,geo,devices,browser-families,referrers,campaigns,paths,languages,destination-urls,status-codes,bots',
  'stats/time?interval=hour&timezone=Europe/Berlin',
  'stats/time?interval=hour&timezone=Asia/Kolkata',
  'hits',
  'hits?page=100&limit=100',
  'hits?country=AA',
  'hits?country=AA&ruleId=2&isBot=false',
];

export interface AskedRedirect {
  readonly product: Product;
  readonly redirectId: string;
  /** Day (UTC, YYYY-MM-DD) of the last hits. In a kept table it is not today. */
  readonly lastDay: string;
}

/** Measures the time and cost of sequential requests to one endpoint. */
export async function timeEndpoint(
  { product, redirectId, lastDay }: AskedRedirect,
  endpoint: string,
  runs: number,
) {
  const separator = endpoint.includes('?') ? '&' : '?';
  const url = `/analytics/redirect/${redirectId}/${endpoint}${separator}end=${lastDay}`;
  const tookMs: number[] = [];
  await callApi(product, 'GET', url); // warms up
  const before = await readUsage(product.pid);
  for (let run = 0; run < runs; run += 1) {
    const startedAtMs = performance.now();
    await callApi(product, 'GET', url);
    tookMs.push(performance.now() - startedAtMs);
  }
  const after = await readUsage(product.pid);
  const at = (share: number) => percentile(tookMs, share) ?? Number.NaN;
  // An answer's share of the whole product's time.
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1000) / runs;
  return { p50Ms: at(0.5), p95Ms: at(0.95), cpuMs };
}
