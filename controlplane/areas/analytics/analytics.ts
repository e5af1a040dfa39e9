import type { Area } from '../../area.js';
import { createAnalyticsRoutes } from './analytics-routes.js';
import { type AnalyticsServiceDeps, createAnalyticsService } from './analytics-service.js';
import { createShownVisitor } from './shown-visitor.js';

export interface AnalyticsDeps extends Omit<AnalyticsServiceDeps, 'shownVisitor' | 'clock' | 'source'> {
  /** The installation's secret, from which shown visitor ids derive. */
  readonly secret: Buffer;
}

/** Statistics, hits and exports of one redirect. */
export function createAnalytics({ secret, ...deps }: AnalyticsDeps): Area {
  const analytics = createAnalyticsService({ ...deps, shownVisitor: createShownVisitor(secret) });
  return { routes: [createAnalyticsRoutes({ analytics })], jobs: [] };
}
