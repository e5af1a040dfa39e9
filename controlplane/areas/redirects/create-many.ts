import { codeOf } from '../../../shared/process/error-facts.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import { type Queryable, sendLater } from '../../storage/postgres/database.js';
import { isLocalName } from '../domains/public.js';
import { emitAll, findWhetherTaken, type IntegratorEventType, type UserEvent } from '../webhooks/public.js';
import type { WantedRedirect } from './new-redirect.js';
import { newVerificationValue, type Redirect } from './redirect.js';
import { redirectEvent, redirectUseEvent, verifiedEvent } from './redirect-announcements.js';
import { type BatchedRedirect, type Obstacles, redirectBatches } from './redirect-batches.js';
import { type RedirectChange, recordEachRedirect, recordRedirects } from './redirect-history.js';
import {
  domainExists,
  domainTaken,
  externalIdExists,
  planRefusal,
  UNIQUE_VIOLATION,
} from './redirect-refusals.js';

/** A new redirect of a user. */
export interface Creator {
  readonly user: CurrentUser;
  readonly wanted: WantedRedirect;
  readonly record: RecordChange;
}

/** `alone`: `RedirectChanges.create` must decide, after the others. */
export type Creation<Made> = Made | AppError | 'alone';

/**
 * Creates redirects with a few statements, in a transaction that holds `lockLoopGraph`. Creations that may
 * close a loop go through `create` one by one. Refuses those that exceed the plan.
 */
export interface CreateMany {
  /** Creates redirects of one user. The audit log gets one entry for all of them. */
  ofUser(
    tx: Queryable,
    record: RecordChange,
    user: CurrentUser,
    wanted: readonly WantedRedirect[],
  ): Promise<readonly Creation<{ readonly id: string }>[]>;
  /**
   * Creates redirects of any users, with an entry in the audit log for each.
   *
   * @throws a database error if a concurrent transaction has taken an external id
   */
  ofUsers(tx: Queryable, creators: readonly Creator[]): Promise<readonly Creation<Redirect>[]>;
}

type IsLocal = (domain: string) => boolean;
type Judged = Creator | AppError | 'alone';

/** Time until the first background check of a new domain. Most owners verify by hand before that. */
export const FIRST_CHECK_AFTER_SECONDS = 60;

/** The events of a creation. */
const EVENT_TYPES: readonly IntegratorEventType[] = [
  'domain.verified',
  'redirect.created',
  'usage.approaching_limit',
  'usage.limit_reached',
];

/** State before redirects are inserted. */
interface Before {
  /** Number of redirects by user. */
  readonly ownCounts: ReadonlyMap<string, number>;
  /** Time of the transaction. */
  readonly now: Date;
  /** Whether an endpoint may want an event. */
  readonly isHeard: boolean;
}

/** @param isLocal returns whether a domain is verified without a proof */
export function createCreateMany(isLocal: IsLocal = isLocalName): CreateMany {
  async function judgeAll(tx: Queryable, creators: readonly Creator[]) {
    const claims = creators.map(({ user, wanted: { fromDomain, toHost, afterEndHost, externalId } }) => ({
      userId: user.id,
      fromDomain,
      toHost,
      afterEndHost,
      externalId,
    }));
    const userIds = [...new Set(creators.map(({ user }) => user.id))];
    const [obstacles, isHeard] = await Promise.all([
      redirectBatches.findObstacles(tx, claims),
      findWhetherTaken(tx, userIds, EVENT_TYPES),
    ]);
    const ownCounts = new Map(obstacles.map(({ ownCount }, at) => [claims[at]?.userId ?? '', ownCount]));
    const before: Before = { ownCounts, now: obstacles[0]?.now ?? new Date(), isHeard };
    return { judged: judge(creators, obstacles, ownCounts, isLocal), before };
  }

  return {
    async ofUser(tx, record, user, wanted) {
      if (wanted.length === 0) return [];
      const creators = wanted.map((one) => ({ user, wanted: one, record }));
      const { judged, before } = await judgeAll(tx, creators);
      const free = judged.filter(isMade);
      // A concurrent change can give another redirect the external id.
      const isInserted = free.length === 0 || (await insertOrNone(tx, user, free, before));
      return judged.map((one): Creation<{ readonly id: string }> => {
        if (!isMade(one)) return one;
        return isInserted ? { id: one.wanted.id } : 'alone';
      });
    },

    async ofUsers(tx, creators) {
      const { judged, before } = await judgeAll(tx, creators);
      const free = judged.filter(isMade);
      if (free.length === 0) return judged.map((one) => (isMade(one) ? 'alone' : one));
      const made = (await insertEach(tx, free, before, isLocal)).values();
      return judged.map((one) => (isMade(one) ? (made.next().value?.() ?? 'alone') : one));
    },
  };

  /** Resolves to whether all are inserted. */
  async function insertOrNone(
    tx: Queryable,
    user: CurrentUser,
    creators: readonly Creator[],
    before: Before,
  ): Promise<boolean> {
    await sendLater(tx, 'SAVEPOINT many');
    try {
      await insert(tx, creators, before, isLocal, false);
      const creations = creators.map(({ wanted }) => creationOf(wanted));
      await recordRedirects(tx, user.id, user, 'redirect.created', creations);
      await tx.query('RELEASE SAVEPOINT many');
      return true;
    } catch (error) {
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      await tx.query('ROLLBACK TO SAVEPOINT many');
      return false;
    }
  }
}

/** Inserts redirects of any users, with their events. Resolves to functions that return them. */
async function insert(
  tx: Queryable,
  creators: readonly Creator[],
  { ownCounts, now, isHeard }: Before,
  isLocal: IsLocal,
  isPlanned: boolean,
) {
  const redirects = creators.map(({ user, wanted }) => ({
    userId: user.id,
    wanted,
    verificationValue: newVerificationValue(),
    checkAfterSeconds: isLocal(wanted.fromDomain) ? null : FIRST_CHECK_AFTER_SECONDS,
  }));
  await redirectBatches.insert(tx, redirects, isPlanned);
  for (const [at, { record, wanted }] of creators.entries()) {
    if (redirects[at]?.checkAfterSeconds === null) record(wanted.fromDomain);
  }
  const made = redirects.map((redirect) => () => createdRedirect(redirect, now));
  if (!isHeard) return made;
  const used = new Map(ownCounts);
  const events = redirects.flatMap((redirect, at): UserEvent[] => {
    const { userId, checkAfterSeconds } = redirect;
    const count = (used.get(userId) ?? 0) + 1;
    used.set(userId, count);
    const created = made[at] as () => Redirect;
    const { plan } = (creators[at] as Creator).user;
    return [
      ...(checkAfterSeconds === null ? [verifiedEvent(userId, created)] : []),
      redirectEvent(userId, 'created', created),
      ...redirectUseEvent(userId, plan, count),
    ];
  });
  await emitAll(tx, events);
  return made;
}

/** Does the same as `insert`, with an entry in the audit log for each redirect. */
export async function insertEach(
  tx: Queryable,
  creators: readonly Creator[],
  before: Before,
  isLocal: IsLocal,
) {
  const made = await insert(tx, creators, before, isLocal, true);
  const creations = creators.map(({ user, wanted }) => ({
    userId: user.id,
    by: user,
    ...creationOf(wanted),
  }));
  await recordEachRedirect(tx, 'redirect.created', creations);
  return made;
}

/** @param now time of the transaction */
function createdRedirect(
  { userId, wanted, verificationValue, checkAfterSeconds }: BatchedRedirect,
  now: Date,
): Redirect {
  return {
    ...wanted,
    userId,
    verificationValue,
    verifiedAt: checkAfterSeconds === null ? now : null,
    createdAt: now,
    updatedAt: now,
    version: 1,
    pathCount: 0,
    exampleCount: 0,
  };
}

function creationOf({ id, fromDomain }: WantedRedirect): RedirectChange {
  return { before: null, after: { id, fromDomain, version: 1 } };
}

/** Returns whether the redirect was created: the outcome is neither a refusal nor `alone`. */
export function isMade<Made extends object>(outcome: Made | AppError | 'alone'): outcome is Made {
  return outcome !== 'alone' && !(outcome instanceof AppError);
}

/** Domains or external ids of earlier redirects in the batch. `alone`: the earlier redirect is possibly not created. */
type Taken = Map<string, 'free' | 'alone'>;

/** Decides creations in their order. Each decision considers the earlier ones. */
function judge(
  creators: readonly Creator[],
  obstacles: readonly Obstacles[],
  ownCounts: ReadonlyMap<string, number>,
  isLocal: IsLocal,
): readonly Judged[] {
  /** States by domain, for all users. */
  const domains: Taken = new Map();
  /** States by user, and domain or external id. */
  const own: Taken = new Map();
  /** Number of redirects by user that are certain to exist. */
  const counts = new Map(ownCounts);
  /** Number of redirects by user, including those that may still fail. */
  const hoped = new Map(ownCounts);

  function judgeOne(creator: Creator, { isOwn, isTaken, hasExternalId, leadsOn }: Obstacles): Judged {
    const { user, wanted } = creator;
    const { fromDomain, externalId, toHost, afterEndHost } = wanted;
    const domainKey = `${user.id} ${fromDomain}`;
    const idKey = externalId === null ? undefined : `${user.id} id ${externalId}`;
    const namesake = idKey === undefined ? undefined : own.get(idKey);
    // The first one with a local name has verified it.
    const rival = isLocal(fromDomain) ? domains.get(fromDomain) : undefined;
    if (isOwn || own.get(domainKey) === 'free') return domainExists(fromDomain);
    if (isTaken || rival === 'free') return domainTaken(fromDomain, 'fromDomain');
    if (hasExternalId || namesake === 'free') return externalIdExists(externalId);
    // A loop is refused before a plan limit, as in `create`.
    const mayLoop = leadsOn || domains.has(toHost) || (afterEndHost !== null && domains.has(afterEndHost));
    const refusal = mayLoop ? undefined : planRefusal(user, counts.get(user.id) ?? 0);
    if (refusal !== undefined) return refusal;
    const isAlone =
      mayLoop ||
      // Its visitors get the user's fallback immediately.
      (!wanted.enabled && isLocal(fromDomain)) ||
      own.has(domainKey) ||
      rival !== undefined ||
      namesake !== undefined ||
      planRefusal(user, hoped.get(user.id) ?? 0) !== undefined;
    const state = isAlone ? 'alone' : 'free';
    domains.set(fromDomain, state);
    own.set(domainKey, state);
    if (idKey !== undefined) own.set(idKey, state);
    hoped.set(user.id, (hoped.get(user.id) ?? 0) + 1);
    if (!isAlone) counts.set(user.id, (counts.get(user.id) ?? 0) + 1);
    return isAlone ? 'alone' : creator;
  }

  return obstacles.map((each, at) => judgeOne(creators[at] as Creator, each));
}
