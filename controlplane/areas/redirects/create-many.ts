import { codeOf } from '../../../shared/process/error-facts.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { isLocalName } from '../domains/public.js';
import { newVerificationValue } from './redirect.js';
import { announceRedirects, announceRedirectUse } from './redirect-announcements.js';
import type { BatchedRedirect, NewObstacles, RedirectBatches, WantedRedirect } from './redirect-batches.js';

export type { WantedRedirect } from './redirect-batches.js';

import {
  FIRST_CHECK_AFTER_SECONDS,
  type NewRedirect,
  planRefusal,
  UNIQUE_VIOLATION,
} from './redirect-changes.js';
import { recordCreations } from './redirect-history.js';
import {
  domainExists,
  domainTaken,
  externalIdExists,
  requireDomainOrWildcard,
  requireFromDomain,
} from './redirect-refusals.js';
import { newSettings } from './redirect-settings.js';
import { announceAllVerified } from './verified-announcement.js';

/** `alone`: only `RedirectChanges.create` can tell, after the others. */
export type Creation = { readonly id: string } | AppError | 'alone';

/**
 * Creates redirects with a few statements for all of them, in a transaction that holds `repository.lockGraph`. Leaves to
 * `create`, in their order, those that may close a loop. Refuses those that the plan has no room for.
 */
export type CreateMany = (
  tx: Queryable,
  record: RecordChange,
  user: CurrentUser,
  wanted: readonly WantedRedirect[],
) => Promise<readonly Creation[]>;

/** @param isLocal tells whether a domain is verified without a proof */
export function createCreateMany(
  batches: RedirectBatches,
  isLocal: (domain: string) => boolean = isLocalName,
): CreateMany {
  /** Resolves to whether all are inserted. A change at the same time can give another redirect the external id. */
  async function insert(
    tx: Queryable,
    record: RecordChange,
    user: CurrentUser,
    wanted: readonly WantedRedirect[],
  ) {
    const userId = user.id;
    const redirects = wanted.map((one) => ({
      wanted: one,
      verificationValue: newVerificationValue(),
      checkAfterSeconds: isLocal(one.fromDomain) ? null : FIRST_CHECK_AFTER_SECONDS,
    }));
    await tx.query('SAVEPOINT many');
    try {
      const verifiedAt = await batches.insert(tx, userId, redirects);
      const isVerified = ({ checkAfterSeconds }: BatchedRedirect) => checkAfterSeconds === null;
      const verified = redirects.filter(isVerified).map((one) => one.wanted);
      for (const { fromDomain } of verified) record(fromDomain);
      await announceAllVerified(tx, userId, verifiedAt, verified);
      const created = () =>
        redirects.map((one) => ({
          ...one.wanted,
          version: 1,
          verifiedAt: isVerified(one) ? verifiedAt : null,
        }));
      await announceRedirects(tx, userId, 'created', created);
      await recordCreations(tx, userId, user, wanted);
      await tx.query('RELEASE SAVEPOINT many');
      return true;
    } catch (error) {
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      await tx.query('ROLLBACK TO SAVEPOINT many');
      return false;
    }
  }

  return async (tx, record, user, wanted) => {
    if (wanted.length === 0) return [];
    const { obstacles, ownCount } = await batches.findObstacles(tx, user.id, wanted);
    const judged = refuseBeyondPlan(user, ownCount, judge(wanted, obstacles));
    const free = judged.filter(isWanted);
    const isInserted = free.length === 0 || (await insert(tx, record, user, free));
    if (isInserted) {
      await announceRedirectUse(tx, user.id, user.plan, ownCount + free.length, free.length);
    }
    return judged.map((one): Creation => {
      if (!isWanted(one)) return one;
      return isInserted ? { id: one.id } : 'alone';
    });
  };
}

/** Refuses those that the plan has no room for. Each counts as created, although one that is left alone may fail. */
function refuseBeyondPlan(
  user: CurrentUser,
  ownCount: number,
  judged: readonly (WantedRedirect | Creation)[],
): readonly (WantedRedirect | Creation)[] {
  let used = ownCount;
  return judged.map((one) => {
    if (one instanceof AppError) return one;
    const refusal = planRefusal(user, used);
    if (refusal === undefined) used += 1;
    return refusal ?? one;
  });
}

function isWanted(one: Creation | WantedRedirect): one is WantedRedirect {
  return one !== 'alone' && 'fromDomain' in one;
}

/**
 * Checks a new redirect by itself.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function readNewRedirect({
  fromDomain,
  takesWildcard = false,
  ...input
}: NewRedirect): WantedRedirect {
  const requireDomain = takesWildcard ? requireDomainOrWildcard : requireFromDomain;
  const settings = newSettings(input);
  return Object.assign(settings, { fromDomain: requireDomain(fromDomain, 'fromDomain'), id: newId() });
}

/** Decides in their order, each with regard to those before it. */
function judge(
  wanted: readonly WantedRedirect[],
  obstacles: readonly NewObstacles[],
): readonly (WantedRedirect | Creation)[] {
  const domains = new Map<string, 'free' | 'alone'>();
  const externalIds = new Map<string, 'free' | 'alone'>();
  return wanted.map((one, at) => {
    const { fromDomain, externalId, toHost, afterEndHost } = one;
    const { isOwn, isTaken, hasExternalId, leadsOn } = obstacles[at] ?? NO_OBSTACLES;
    if (isOwn || domains.get(fromDomain) === 'free') return domainExists(fromDomain);
    if (isTaken) return domainTaken(fromDomain, 'fromDomain');
    const namesake = externalId === null ? undefined : externalIds.get(externalId);
    if (hasExternalId || namesake === 'free') return externalIdExists(externalId);
    const isAlone =
      leadsOn ||
      domains.has(fromDomain) ||
      namesake !== undefined ||
      domains.has(toHost) ||
      (afterEndHost !== null && domains.has(afterEndHost));
    domains.set(fromDomain, isAlone ? 'alone' : 'free');
    if (externalId !== null) externalIds.set(externalId, isAlone ? 'alone' : 'free');
    return isAlone ? 'alone' : one;
  });
}

const NO_OBSTACLES = { isOwn: false, isTaken: false, hasExternalId: false, leadsOn: false };
