import { randomUUID } from 'node:crypto';
import { percentile } from '../measure/statistics.js';
import type { ApiClient } from './api-client.js';
import { LISTED_REDIRECTS, READ_REDIRECT_ID } from './seed.js';

/** The endpoints that are timed with very many redirects. */
export type TimedEndpoint = 'list' | 'read' | 'create' | 'update' | 'user' | 'rules';

/** `listP50Ms`, `listP95Ms`, `listP99Ms`, `listP95RatioTo1k` and so on, from a caller who calls one after another. */
type EndpointFigures = {
  readonly [K in `${TimedEndpoint}${'P50Ms' | 'P95Ms' | 'P99Ms' | 'P95RatioTo1k'}`]: number;
};

type Call = (client: ApiClient) => Promise<unknown>;

const CALLS: Readonly<Record<TimedEndpoint, Call>> = {
  async list(client) {
    const list = await client.call<readonly unknown[]>('GET', '/get-redirects/me');
    if (list.length < LISTED_REDIRECTS) throw new Error(`the list has ${list.length} redirects`);
  },
  read: (client) => client.call('GET', `/redirects/${READ_REDIRECT_ID}`),
  create: (client) =>
    client.call('POST', '/add-redirect', {
      fromDomain: `${randomUUID()}.example`,
      toDomain: 'https://destination.example/welcome',
    }),
  update: (client) =>
    client.call('PUT', `/update/${READ_REDIRECT_ID}`, {
      toDomain: `https://www.listed-1.example/${randomUUID()}`,
    }),
  user: (client) => client.call('GET', '/auth/user'),
  rules: (client) => client.call('GET', `/rules/redirect/${READ_REDIRECT_ID}`),
};
export const ENDPOINTS = Object.keys(CALLS) as readonly TimedEndpoint[];

/**
 * Calls every endpoint of two installations alternately. A disturbance then slows both of them.
 *
 * @returns the figures of the first installation, with their ratio to those of the second
 */
export async function compareEndpoints(
  [first, second]: readonly [ApiClient, ApiClient],
  calls: number,
): Promise<EndpointFigures> {
  const figures: [string, number][] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    const tookMs: readonly [number[], number[]] = [[], []];
    await call(first);
    await call(second);
    for (let round = 0; round < calls; round += 1) {
      tookMs[0].push(await timeOne(call, first));
      tookMs[1].push(await timeOne(call, second));
    }
    const at = (share: number, of: 0 | 1) => percentile(tookMs[of], share) ?? Number.NaN;
    figures.push(
      [`${name}P50Ms`, at(0.5, 0)],
      [`${name}P95Ms`, at(0.95, 0)],
      [`${name}P99Ms`, at(0.99, 0)],
      [`${name}P95RatioTo1k`, at(0.95, 0) / at(0.95, 1)],
    );
  }
  return Object.fromEntries(figures) as EndpointFigures;
}

async function timeOne(call: Call, client: ApiClient): Promise<number> {
  const startedAtMs = performance.now();
  await call(client);
  return performance.now() - startedAtMs;
}
