import type { Logger } from 'pino';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { OwnerMails } from '../../mail/owner-mails.js';
import { type Plan, UNLIMITED } from '../../plan.js';
import type { RecordChange, RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import { EXCESS_MAILS } from './excess-mails.js';
import { type ExcessNotice, excessRepository } from './excess-repository.js';
import type { PlanAccess } from './plan-access.js';
import type { PlanCatalogue } from './plan-catalogue.js';

const ROUND_INTERVAL_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days between the notice and its effect. */
export const NOTICE_DAYS = 14;
const PAGE_SIZE = 200;
/** Users whose redirects are looked at in one transaction. */
const USERS_PER_TRANSACTION = 10;

export interface ExcessRedirectsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
  readonly ownerMails: OwnerMails;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

/**
 * Bounds what an unpaid trial leaves behind. Users who never paid and have more redirects than their plan allows get a
 * notice by mail and webhook. After 14 days the redirects beyond the limit are switched off, not deleted. A larger plan,
 * or fewer redirects, switches them on again within the hour. Users who have paid keep all redirects.
 */
export interface ExcessRedirects extends BackgroundWork {
  runRound(): Promise<void>;
}

export function createExcessRedirects(deps: ExcessRedirectsDeps): ExcessRedirects {
  const { database, outbox, catalogue, access, ownerMails, logger, nowMs } = deps;
  const limits = catalogue.plans.map(({ maxRedirects }) => maxRedirects).filter((max) => max !== UNLIMITED);
  let isStopping = false;

  async function excessOf(tx: Queryable, userId: string) {
    const plan = await access.planIn(tx, userId);
    const { redirects, neverPaid } = await excessRepository.use(tx, userId);
    return { plan, redirects, isOver: neverPaid && isOver(plan, redirects) };
  }

  /** Announces the bound to users who are over their plan. */
  async function announce(userId: string): Promise<void> {
    await database.transaction(async (tx) => {
      const { plan, redirects, isOver } = await excessOf(tx, userId);
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
    while (!isStopping && limits.length > 0) {
      const page = { moreThan: Math.min(...limits), after, limit: PAGE_SIZE };
      const users = await excessRepository.findCandidates(database, page);
      for (const userId of users) await announce(userId);
      if (users.length < PAGE_SIZE) return;
      after = users.at(-1) ?? '';
    }
  }

  async function settle(tx: Queryable, record: RecordChange, { userId, appliesAt }: ExcessNotice) {
    const { plan, redirects, isOver } = await excessOf(tx, userId);
    if (!isOver) {
      for (const host of await excessRepository.end(tx, userId)) record(host);
      return;
    }
    if (appliesAt.getTime() > nowMs()) return;
    const hosts = await excessRepository.switchOff(tx, userId, plan.maxRedirects);
    if (hosts.length === 0) return;
    for (const host of hosts) record(host);
    logger.info({ user: userId, redirects: hosts.length }, 'redirects beyond the plan were switched off');
    const excess = { redirects, allowed: plan.maxRedirects, planName: plan.name };
    await ownerMails.send(tx, userId, { kind: 'excess_applied', pauseHours: 24 }, (to) =>
      EXCESS_MAILS.applied(to, hosts.length, excess),
    );
  }

  /** Looks at each notice once an hour. */
  async function settleAll(): Promise<void> {
    let count = USERS_PER_TRANSACTION;
    while (!isStopping && count === USERS_PER_TRANSACTION) {
      count = await outbox.commit(async (tx, record) => {
        const [now, before] = [new Date(nowMs()), new Date(nowMs() - HOUR_MS)];
        const notices = await excessRepository.takeNotices(tx, before, now, USERS_PER_TRANSACTION);
        for (const notice of notices) await settle(tx, record, notice);
        return notices.length;
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
  return {
    ...work,
    runRound,
    stop() {
      isStopping = true;
      return work.stop();
    },
  };
}

function isOver({ maxRedirects }: Plan, redirects: number): boolean {
  return maxRedirects !== UNLIMITED && redirects > maxRedirects;
}
