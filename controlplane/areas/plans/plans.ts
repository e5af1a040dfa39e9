import type { Area } from '../../area.js';
import { createBusyRedirects } from './busy-redirects.js';
import { createExcessRedirects, type ExcessRedirectsDeps } from './excess-redirects.js';
import { createHitRetention, createRetentionDays, type HitRetentionDeps } from './hit-retention.js';
import type { PlanParts } from './plan-parts.js';
import { createRecordingLimits, createRecordingState } from './recording-limits.js';

export interface PlansDeps
  extends Pick<PlanParts, 'database' | 'store' | 'outbox' | 'catalogue' | 'access' | 'logger'>,
    Pick<HitRetentionDeps, 'extendRetention'>,
    Pick<ExcessRedirectsDeps, 'ownerMails'> {}

export interface Plans extends Area {
  /** Returns for how many days hits of a user are kept; undefined for ever. */
  readonly retentionDaysOf: (userId: string) => Promise<number | undefined>;
  /** Returns whether the plan keeps a redirect from recording visits now. */
  readonly isRecordingPaused: (userId: string, redirectId: string) => Promise<boolean>;
}

/**
 * Enforces the limits of plans on events and retention. Limits of redirects and rules are checked where they are
 * created.
 */
export function createPlans(deps: PlansDeps): Plans {
  const parts = { ...deps, nowMs: Date.now };
  return {
    routes: [],
    jobs: [
      createHitRetention(parts),
      createExcessRedirects(parts),
      createRecordingLimits({ ...parts, findBusy: createBusyRedirects(parts) }),
    ],
    retentionDaysOf: createRetentionDays(parts),
    isRecordingPaused: createRecordingState(parts),
  };
}
