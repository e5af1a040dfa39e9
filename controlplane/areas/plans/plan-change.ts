import { type Plan, recordsNothing } from '../../plan.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { endExcess } from './excess.js';
import type { PlanAccess } from './plan-access.js';
import { recordingPauseRepository } from './recording-pause-repository.js';
import { retentionChangeRepository } from './retention-change-repository.js';
import { longerRetention } from './retention-days.js';

/**
 * Makes a change to a user's subscription, and tells data planes of the plan that comes of it.
 *
 * @param change writes it with `tx`
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
 * Tells data planes of a new plan where it makes a difference to them: how long the hits of the user's redirects
 * are kept, and whether they are recorded.
 */
async function recordPlanChange(
  tx: Queryable,
  record: RecordChange,
  userId: string,
  { before, after }: { readonly before: Plan; readonly after: Plan },
): Promise<void> {
  const allowed = after.perRedirect.maxAnalyticsEventsPerMonth;
  if (before.perRedirect.maxAnalyticsEventsPerMonth !== allowed) {
    // Whether the new limit is used up too, the next comparison shows.
    for (const host of await recordingPauseRepository.resumeOfUser(tx, userId)) record(host);
  }
  if (recordsNothing(before) !== recordsNothing(after)) await recordHosts(tx, record, userId);
  const daysBefore = before.perRedirect.analyticsRetentionDays;
  const daysAfter = after.perRedirect.analyticsRetentionDays;
  if (daysBefore === daysAfter) return;
  const longest = longerRetention(daysBefore, daysAfter);
  await retentionChangeRepository.raise(tx, userId, longest);
  // Nothing that is stored goes because a plan is shorter.
  if (longest === daysAfter) await retentionChangeRepository.note(tx, userId);
  await recordHosts(tx, record, userId);
}

/** Has hits kept as the user's plan says now: those to come by way of data planes, and stored ones if it is longer. */
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
