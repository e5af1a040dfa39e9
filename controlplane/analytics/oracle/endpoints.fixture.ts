import type { Asked, Expected } from './asked.fixture.js';
import * as counts from './expected-counts.fixture.js';
import * as lists from './expected-lists.fixture.js';
import type { Parameters } from './random-requests.fixture.js';

export interface Endpoint {
  readonly path: string;
  /** Answers naively: from the list of the hits, as the descriptions in the OpenAPI document read. */
  readonly expected: (asked: Asked) => Expected;
  /** Parameters of its own, and what they may be. */
  readonly parameters: Parameters;
}

const limit = [undefined, undefined, 1, 2, 5, 1_000];

/** Every endpoint of statistics. */
export const ENDPOINTS: readonly Endpoint[] = [
  { path: 'stats/basic', expected: counts.basic, parameters: {} },
  { path: 'stats/time', expected: counts.time, parameters: { interval: [undefined, 'day'] } },
  { path: 'stats/time', expected: counts.time, parameters: { interval: ['hour'] } },
  { path: 'stats/time', expected: counts.time, parameters: { interval: ['week'] } },
  { path: 'stats/time', expected: counts.time, parameters: { interval: ['month'] } },
  { path: 'dashboard', expected: lists.dashboard, parameters: {} },
  { path: 'stats/geo', expected: lists.geo, parameters: { groupBy: [undefined, 'country'] } },
  { path: 'stats/geo', expected: lists.geo, parameters: { groupBy: ['region'] } },
  { path: 'stats/geo', expected: lists.geo, parameters: { groupBy: ['city'] } },
  { path: 'stats/devices', expected: lists.devices, parameters: {} },
  { path: 'stats/referrers', expected: lists.referrers, parameters: { limit } },
  { path: 'stats/hourly', expected: counts.hourly, parameters: {} },
  { path: 'stats/comparison', expected: counts.comparison, parameters: {} },
  { path: 'stats/peak-traffic', expected: counts.peakTraffic, parameters: { limit } },
  { path: 'stats/return-visitors', expected: counts.returnVisitors, parameters: {} },
  { path: 'stats/status-codes', expected: counts.statusCodes, parameters: {} },
  { path: 'stats/errors', expected: counts.errors, parameters: {} },
  { path: 'stats/bots', expected: counts.bots, parameters: {} },
  { path: 'stats/languages', expected: lists.languages, parameters: { limit } },
  { path: 'stats/paths', expected: lists.paths, parameters: { limit } },
  { path: 'stats/user-agents', expected: lists.userAgents, parameters: { limit } },
  { path: 'stats/browser-families', expected: lists.browserFamilies, parameters: { limit } },
  { path: 'stats/device-categories', expected: lists.deviceCategories, parameters: {} },
  { path: 'stats/destination-urls', expected: lists.destinationUrls, parameters: { limit } },
  { path: 'stats/campaigns', expected: lists.campaigns, parameters: { limit } },
  { path: 'stats/query-params', expected: lists.queryParams, parameters: { limit } },
];

/** What hits may be chosen by. */
export const HIT_CONDITIONS = {
  country: [undefined, undefined, 'DE', 'US', 'FR'],
  isBot: [undefined, undefined, true, false],
  statusCode: [undefined, undefined, 301, 404, 599],
  ruleId: [undefined, undefined, 12, Number.MAX_SAFE_INTEGER, 99],
} as const;
