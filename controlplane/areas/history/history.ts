import type { Logger } from 'pino';
import type { Area } from '../../area.js';
import type { PlansOf } from '../../plan.js';
import type { Database } from '../../storage/postgres/database.js';
import { type AuditRoutesDeps, createAuditRoutes } from './audit-routes.js';
import { createHistoryRetention } from './history-retention.js';
import type { StateOf } from './state-of.js';
import { createVersionRoutes, type VersionRoutesDeps } from './version-routes.js';

export interface HistoryDeps {
  readonly database: Database;
  readonly requireOwned: VersionRoutesDeps['requireOwned'];
  readonly stateOf: StateOf;
  readonly streamToUser: AuditRoutesDeps['streamToUser'];
  readonly plansOf: PlansOf;
  readonly logger: Logger;
}

/** Versions of redirects and the audit log: reading them, and deleting the old ones. Other areas record changes. */
export function createHistory(deps: HistoryDeps): Area {
  return {
    routes: [createVersionRoutes(deps), createAuditRoutes(deps)],
    jobs: [createHistoryRetention(deps)],
  };
}
