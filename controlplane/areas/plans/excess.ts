import { type Plan, UNLIMITED } from '../../plan.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { recordVersions } from '../history/public.js';
import { excessRepository, type SwitchedRedirect } from './excess-repository.js';
import type { PlanAccess } from './plan-parts.js';

/** Maximum redirect versions of one audit log entry. They are deleted together. */
const RECORDED_AT_ONCE = 1_000;

export interface Excess {
  readonly plan: Plan;
  readonly redirects: number;
  /** Whether the user never paid and has more redirects than the plan allows. */
  readonly isOver: boolean;
}

export async function excessOf(tx: Queryable, access: PlanAccess, userId: string): Promise<Excess> {
  const plan = await access.planIn(tx, userId);
  const { redirects, neverPaid } = await excessRepository.use(tx, userId);
  const { maxRedirects } = plan;
  const isOver = neverPaid && maxRedirects !== UNLIMITED && redirects > maxRedirects;
  return { plan, redirects, isOver };
}

/**
 * Ends the notice of a user if a new plan or a first payment now allows all redirects, and switches them on again.
 * Called in the transaction of the change. Its locks make it wait for a concurrent notice, and a concurrent notice wait
 * for it.
 */
export async function endExcess(
  tx: Queryable,
  record: RecordChange,
  { access, userId }: { readonly access: PlanAccess; readonly userId: string },
): Promise<void> {
  await excessRepository.lockUser(tx, userId);
  if (!(await excessRepository.lockNotice(tx, userId))) return;
  const { isOver } = await excessOf(tx, access, userId);
  if (isOver) return;
  await switchOn(tx, record, userId);
}

/** Deletes the notice of a user and switches its redirects on again. */
export async function switchOn(tx: Queryable, record: RecordChange, userId: string): Promise<void> {
  const switchedOn = await excessRepository.end(tx, userId);
  for (const { host } of switchedOn) record(host);
  await recordSwitched(tx, userId, true, switchedOn);
}

/** Records that the service switched redirects off or on. */
export async function recordSwitched(
  tx: Queryable,
  userId: string,
  enabled: boolean,
  redirects: readonly SwitchedRedirect[],
): Promise<void> {
  const action = enabled ? 'redirect.switched_on' : 'redirect.switched_off';
  const summary = enabled ? 'Switched on: within the plan again' : 'Switched off: beyond the plan';
  const delta = { redirect: { enabled: !enabled } };
  for (let at = 0; at < redirects.length; at += RECORDED_AT_ONCE) {
    const versions = redirects
      .slice(at, at + RECORDED_AT_ONCE)
      .map(({ id, host, version }) => ({ redirectId: id, name: host, version, delta }));
    await recordVersions(tx, { userId, by: null, action, summary }, versions);
  }
}
