import { type Plan, recordsNothing } from '../../plan.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { endExcess } from './excess.js';
import { longerRetention } from './hit-retention.js';
import type { PlanAccess } from './plan-parts.js';
import { recordingPauseRepository } from './recording-pause-repository.js';
import { retentionChangeRepository } from './retention-change-repository.js';

/**
 * Changes a user's subscription, and publishes the resulting plan to data planes.
 *
 * @param change writes the change with `tx`
 */
export async function changePlan(
  tx: Queryable,
  record: RecordChange,
  { access, userId }: { readonly access: PlanAccess; readonly userId: string },
  change: () => Promise<void>,
): Promise<void> {
  const before = await access.publishedPlanIn(tx, userId);
  await change();
  await recordPlanChange(tx, record, userId, { before, after: await access.planIn(tx, userId) });
  await endExcess(tx, record, { access, userId });
}

/**
 * Publishes a new plan if it matters to data planes: how long the hits of the user's redirects are kept, and whether
 * they are recorded.
 */
async function recordPlanChange(
  tx: Queryable,
  record: RecordChange,
  userId: string,
  { before, after }: { readonly before: Plan; readonly after: Plan },
): Promise<void> {
  const allowed = after.perRedirect.maxAnalyticsEventsPerMonth;
  if (before.perRedirect.maxAnalyticsEventsPerMonth !== allowed) {
    // The next comparison shows whether the new limit is used up too.
    for (const host of await recordingPauseRepository.resumeOfUser(tx, userId)) record(host);
  }
  if (recordsNothing(before) !== recordsNothing(after)) await recordHosts(tx, record, userId);
  const daysBefore = before.perRedirect.analyticsRetentionDays;
  const daysAfter = after.perRedirect.analyticsRetentionDays;
  if (daysBefore === daysAfter) return;
  const longest = longerRetention(daysBefore, daysAfter);
  await retentionChangeRepository.raise(tx, userId, longest);
  // A shorter plan deletes no stored hits.
  if (longest === daysAfter) await retentionChangeRepository.note(tx, userId);
  await recordHosts(tx, record, userId);
}

/** Applies the retention of the user's plan: to new hits through data planes, and to stored ones if it is longer. */
export async function recordRetentionChange(
  tx: Queryable,
  record: RecordChange,
  userId: string,
): Promise<void> {
  await retentionChangeRepository.note(tx, userId);
  await recordHosts(tx, record, userId);
}

async function recordHosts(tx: Queryable, record: RecordChange, userId: string): Promise<void> {
  const rows = await tx.query<{ from_domain: string }>(
    'SELECT from_domain FROM redirects WHERE user_id = $1 AND verified_at IS NOT NULL ORDER BY from_domain',
    [userId],
  );
  for (const { from_domain } of rows) record(from_domain);
}
