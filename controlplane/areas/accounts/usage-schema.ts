import { type Static, Type } from 'typebox';
import type { UsageStats } from './account-standing.js';

export const UsageStatsSchema = Type.Object(
  {
    redirectsUsed: Type.Integer({
      description: 'Those that are active. `maxRedirects` limits the pending ones too.',
    }),
    redirectsPending: Type.Integer({ description: 'Those whose domain is not verified yet.' }),
    maxRedirects: Type.Integer({ description: 'Limit of the plan; -1: no limit.' }),
    canCreateRedirect: Type.Boolean({ description: 'Whether the plan allows one more.' }),
    totalAnalyticsEvents: Type.Integer({ description: 'Recorded in this billing period.' }),
    lastUsageUpdate: Type.String({ format: 'date-time' }),
  },
  { title: 'UsageStats' },
);

/** Usage as the API shows it. */
export function usageRecord(usage: UsageStats): Static<typeof UsageStatsSchema> {
  return { ...usage, lastUsageUpdate: usage.lastUsageUpdate.toISOString() };
}
