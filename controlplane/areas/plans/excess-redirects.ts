import { createBackgroundWork } from '../../jobs/background-work.js';
import type { Mail } from '../../mail/mail-transport.js';
import type { OwnerMails } from '../../mail/owner-mails.js';
import { UNLIMITED } from '../../plan.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import { excessOf, recordSwitched, switchOn } from './excess.js';
import { type ExcessNotice, excessRepository } from './excess-repository.js';
import type { PlanParts } from './plan-parts.js';

const ROUND_INTERVAL_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days between the notice and its effect. */
export const NOTICE_DAYS = 14;
const PAGE_SIZE = 200;

export interface ExcessRedirectsDeps
  extends Pick<PlanParts, 'database' | 'outbox' | 'catalogue' | 'access' | 'logger' | 'nowMs'> {
  readonly ownerMails: OwnerMails;
}

/**
 * Limits the redirects that remain after an unpaid trial. Users who never paid and have more redirects than their plan
 * allows get a notice by mail and webhook. After 14 days the redirects beyond the limit are switched off, not deleted.
 * A larger plan or a payment switches them on again immediately (`endExcess`). Deleting redirects does so within an
 * hour. Users who have paid keep all redirects.
 */
export function createExcessRedirects(deps: ExcessRedirectsDeps) {
  const { database, outbox, catalogue, access, ownerMails, logger, nowMs } = deps;
  const limits = catalogue.plans.map(({ maxRedirects }) => maxRedirects).filter((max) => max !== UNLIMITED);
  /** Sends notices to users who are over their plan. */
  async function announce(userId: string): Promise<void> {
    await database.transaction(async (tx) => {
      await excessRepository.lockUser(tx, userId);
      const { plan, redirects, isOver } = await excessOf(tx, access, userId);
      const appliesAt = new Date(nowMs() + NOTICE_DAYS * DAY_MS);
      if (!isOver || !(await excessRepository.addNotice(tx, { userId, appliesAt }, new Date(nowMs()))))
        return;
      const excess = { redirects, allowed: plan.maxRedirects, planName: plan.name };
      const data = { redirects, allowed: plan.maxRedirects, plan: plan.id, disabledAt: appliesAt };
      await emit(tx, userId, 'plan.excess_redirects', data);
      await ownerMails.send(tx, userId, { kind: 'excess_announced', pauseHours: 0 }, (to) =>
        EXCESS_MAILS.announced(to, excess, appliesAt),
      );
    });
  }

  async function announceAll(): Promise<void> {
    let after = '';
    while (!work.isStopping() && limits.length > 0) {
      const page = { moreThan: Math.min(...limits), after, limit: PAGE_SIZE };
      const users = await excessRepository.findCandidates(database, page);
      for (const userId of users) await announce(userId);
      if (users.length < PAGE_SIZE) return;
      after = users.at(-1) ?? '';
    }
  }

  async function settle(tx: Queryable, record: RecordChange, { userId, appliesAt }: ExcessNotice) {
    const { plan, redirects, isOver } = await excessOf(tx, access, userId);
    if (!isOver) {
      await switchOn(tx, record, userId);
      return;
    }
    if (appliesAt.getTime() > nowMs()) return;
    const switchedOff = await excessRepository.switchOff(tx, userId, plan.maxRedirects);
    if (switchedOff.length === 0) return;
    for (const { host } of switchedOff) record(host);
    await recordSwitched(tx, userId, false, switchedOff);
    logger.info(
      { user: userId, redirects: switchedOff.length },
      'redirects beyond the plan were switched off',
    );
    const excess = { redirects, allowed: plan.maxRedirects, planName: plan.name };
    await ownerMails.send(tx, userId, { kind: 'excess_applied', pauseHours: 24 }, (to) =>
      EXCESS_MAILS.applied(to, switchedOff.length, excess),
    );
  }

  /** Checks each notice once an hour. A concurrent change of the user's plan waits for the lock of the notice. */
  async function settleAll(): Promise<void> {
    let hasMore = true;
    while (!work.isStopping() && hasMore) {
      hasMore = await outbox.commit(async (tx, record) => {
        const [now, before] = [new Date(nowMs()), new Date(nowMs() - HOUR_MS)];
        const notice = await excessRepository.takeNotice(tx, before, now);
        if (notice !== undefined) await settle(tx, record, notice);
        return notice !== undefined;
      });
    }
  }

  async function runRound(): Promise<void> {
    await announceAll();
    await settleAll();
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'redirects beyond the plan could not be looked at; trying again at the next round',
  });
  return work;
}

interface Excess {
  readonly redirects: number;
  readonly allowed: number;
  readonly planName: string;
}

/** Texts of the mails about redirects beyond the plan. */
const EXCESS_MAILS = {
  announced: (to: string, { redirects, allowed, planName }: Excess, appliesAt: Date): Mail => ({
    to,
    subject: `Your trial is over: ${redirects - allowed} redirects stop on ${dayOf(appliesAt)}`,
    text: `Your trial is over. You have ${redirects} redirects, and the plan ${planName} allows ${allowed}.

Until ${dayOf(appliesAt)} all of them keep working. After that, the ${allowed} oldest verified redirects keep working, and the others are switched off. Nothing is deleted: they start again as soon as you choose a larger plan.

To keep all redirects, choose a plan. To decide yourself which ones stay, delete those that you no longer need.
`,
  }),

  applied: (to: string, switchedOff: number, { allowed, planName }: Excess): Mail => ({
    to,
    subject: `${switchedOff} of your redirects are switched off`,
    text: `Your redirects beyond the ${allowed} that the plan ${planName} allows are switched off. Their visitors get 404.

Nothing is deleted. They start again as soon as you choose a larger plan.
`,
  }),
};

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
