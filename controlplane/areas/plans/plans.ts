import type { Logger } from 'pino';
import type { Area } from '../../area.js';
import type { OwnerMails } from '../../mail/owner-mails.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import type { Database } from '../../storage/postgres/database.js';
import { createBusyRedirects } from './busy-redirects.js';
import { createExcessRedirects } from './excess-redirects.js';
import { createHitRetention, createRetentionDays, type HitRetentionDeps } from './hit-retention.js';
import type { PlanCatalogue } from './plan-catalogue.js';
import type { PlanAccess } from './plan-parts.js';
import { createRecordingLimits, createRecordingState } from './recording-limits.js';

export interface PlansDeps {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly outbox: RulesetOutbox;
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
  readonly extendRetention: HitRetentionDeps['extendRetention'];
  readonly ownerMails: OwnerMails;
  readonly logger: Logger;
}

export interface Plans extends Area {
  /** Returns for how many days hits of a user are kept; undefined for ever. */
  readonly retentionDaysOf: (userId: string) => Promise<number | undefined>;
  /** Returns whether the plan keeps a redirect from recording visits now. */
  readonly isRecordingPaused: (userId: string, redirectId: string) => Promise<boolean>;
}

/** Enforces what plans say about events and retention. Limits of redirects and rules are checked where they are created. */
export function createPlans(deps: PlansDeps): Plans {
  const { database, store, outbox, catalogue, access, extendRetention, ownerMails, logger } = deps;
  const findBusy = createBusyRedirects({ store, nowMs: Date.now });
  return {
    routes: [],
    jobs: [
      createHitRetention({ database, access, extendRetention, logger }),
      createExcessRedirects({ database, outbox, catalogue, access, ownerMails, logger, nowMs: Date.now }),
      createRecordingLimits({ outbox, catalogue, access, findBusy, logger, nowMs: Date.now }),
    ],
    retentionDaysOf: createRetentionDays({ database, access }),
    isRecordingPaused: createRecordingState({ database, access }),
  };
}
