import type { Question } from '../question.js';
import { basicStats } from './basic.js';
import { botStats } from './bots.js';
import { campaignStats } from './campaigns.js';
import { browserFamilyStats, deviceCategoryStats } from './client-families.js';
import { comparisonStats } from './comparison.js';
import { dashboard } from './dashboard.js';
import { destinationUrlStats } from './destination-urls.js';
import { deviceStats } from './devices.js';
import { entryStats } from './entries.js';
import { geoStats } from './geo.js';
import { hourlyStats } from './hourly.js';
import { languageStats } from './languages.js';
import { pathStats } from './paths.js';
import { peakTrafficStats } from './peak-traffic.js';
import { queryParamStats } from './query-params.js';
import { referrerStats } from './referrers.js';
import { returnVisitorStats } from './return-visitors.js';
import { errorStats, statusCodeStats } from './status-codes.js';
import { timeStats } from './time.js';
import { unmatchedPathStats } from './unmatched-paths.js';
import { userAgentStats } from './user-agents.js';

/** Every question with an endpoint, in the order of the OpenAPI document. */
export const QUESTIONS: readonly Question[] = [
  basicStats,
  dashboard,
  timeStats,
  geoStats,
  deviceStats,
  referrerStats,
  hourlyStats,
  comparisonStats,
  peakTrafficStats,
  returnVisitorStats,
  statusCodeStats,
  errorStats,
  botStats,
  languageStats,
  pathStats,
  userAgentStats,
  browserFamilyStats,
  deviceCategoryStats,
  destinationUrlStats,
  campaignStats,
  queryParamStats,
  entryStats,
  unmatchedPathStats,
];
