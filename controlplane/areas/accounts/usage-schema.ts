import { type Static, Type } from 'typebox';
import { recordOf, time } from '../../http/schema-parts.js';
import type { UsageStats } from './account-standing.js';

export const UsageStatsSchema = Type.Object(
  {
    redirectsUsed: Type.Integer({
      description: 'Number of active redirects. `maxRedirects` also limits pending ones.',
    }),
    redirectsPending: Type.Integer({ description: 'Number of redirects whose domain is not verified yet.' }),
    maxRedirects: Type.Integer({ description: 'Limit of the plan. -1 means unlimited.' }),
    canCreateRedirect: Type.Boolean({ description: 'Whether the plan allows another redirect.' }),
    totalAnalyticsEvents: Type.Integer({ description: 'Events recorded in this billing period.' }),
    lastUsageUpdate: time,
  },
  { title: 'UsageStats' },
);

/** Usage as the API shows it. */
export function usageRecord(usage: UsageStats): Static<typeof UsageStatsSchema> {
  return recordOf(UsageStatsSchema, usage);
}
