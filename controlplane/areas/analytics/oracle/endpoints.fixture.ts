import type { Asked, Expected } from './asked.fixture.js';
import * as counts from './expected-counts.fixture.js';
import * as hours from './expected-hours.fixture.js';
import * as lists from './expected-lists.fixture.js';
import type { Parameters } from './random-requests.fixture.js';

export interface Endpoint {
  readonly path: string;
  /** Answers an endpoint naively from the list of hits, as the OpenAPI document describes it. */
  readonly expected: (asked: Asked) => Expected;
  /** Whether its totals include bots by default. */
  readonly bots: 'included' | 'excluded' | 'always';
  /** Its own parameters with possible values. */
  readonly parameters: Parameters;
}

const limit = [undefined, undefined, 1, 2, 5, 1_000];

/** Every endpoint of statistics. */
export const ENDPOINTS: readonly Endpoint[] = [
  { path: 'stats/basic', bots: 'included', expected: counts.basic, parameters: {} },
  {
    path: 'stats/time',
    bots: 'included',
    expected: counts.time,
    parameters: { interval: [undefined, 'day'] },
  },
  { path: 'stats/time', bots: 'included', expected: counts.time, parameters: { interval: ['hour'] } },
  { path: 'stats/time', bots: 'included', expected: counts.time, parameters: { interval: ['week'] } },
  { path: 'stats/time', bots: 'included', expected: counts.time, parameters: { interval: ['month'] } },
  { path: 'dashboard', bots: 'included', expected: lists.dashboard, parameters: {} },
  {
    path: 'stats/geo',
    bots: 'excluded',
    expected: lists.geo,
    parameters: { groupBy: [undefined, 'country'] },
  },
  { path: 'stats/geo', bots: 'excluded', expected: lists.geo, parameters: { groupBy: ['region'] } },
  { path: 'stats/geo', bots: 'excluded', expected: lists.geo, parameters: { groupBy: ['city'] } },
  { path: 'stats/devices', bots: 'excluded', expected: lists.devices, parameters: {} },
  { path: 'stats/referrers', bots: 'excluded', expected: lists.referrers, parameters: { limit } },
  { path: 'stats/hourly', bots: 'excluded', expected: hours.hourly, parameters: {} },
  { path: 'stats/comparison', bots: 'included', expected: counts.comparison, parameters: {} },
  { path: 'stats/peak-traffic', bots: 'excluded', expected: hours.peakTraffic, parameters: { limit } },
  { path: 'stats/return-visitors', bots: 'excluded', expected: counts.returnVisitors, parameters: {} },
  { path: 'stats/status-codes', bots: 'excluded', expected: counts.statusCodes, parameters: {} },
  { path: 'stats/errors', bots: 'included', expected: counts.errors, parameters: {} },
  { path: 'stats/bots', bots: 'always', expected: counts.bots, parameters: {} },
  { path: 'stats/languages', bots: 'excluded', expected: lists.languages, parameters: { limit } },
  { path: 'stats/paths', bots: 'excluded', expected: lists.paths, parameters: { limit } },
  { path: 'stats/user-agents', bots: 'excluded', expected: lists.userAgents, parameters: { limit } },
  {
    path: 'stats/browser-families',
    bots: 'excluded',
    expected: lists.browserFamilies,
    parameters: { limit },
  },
  { path: 'stats/device-categories', bots: 'excluded', expected: lists.deviceCategories, parameters: {} },
  {
    path: 'stats/destination-urls',
    bots: 'excluded',
    expected: lists.destinationUrls,
    parameters: { limit },
  },
  { path: 'stats/campaigns', bots: 'excluded', expected: lists.campaigns, parameters: { limit } },
  { path: 'stats/query-params', bots: 'excluded', expected: lists.queryParams, parameters: { limit } },
  { path: 'stats/entries', bots: 'excluded', expected: lists.entries, parameters: { limit } },
  { path: 'stats/unmatched-paths', bots: 'excluded', expected: lists.unmatchedPaths, parameters: { limit } },
];

/** Filters of single hits beside those of every question. */
export const HIT_CONDITIONS = { isBot: [undefined, undefined, true, false] } as const;
