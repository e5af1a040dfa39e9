import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { parseDestination, parseDomainOrWildcard } from '../domains/public.js';
import { recordVersions } from '../history/public.js';
import { emit } from '../webhooks/public.js';
import { operatorLog } from './operator-log.js';
import type { TakedownPages } from './takedown-pages.js';
import {
  type AffectedRedirect,
  type Takedown,
  type TakedownTarget,
  takedownRepository,
} from './takedown-repository.js';

/** Maximum owners that are notified of one takedown. Redirects of further owners are taken down without a message. */
const MAX_TOLD = 500;
/** Maximum redirects with a version for a takedown. Locking all redirects of a large destination would delay the takedown. */
const MAX_RECORDED = 1_000;
/** Maximum hosts that one message names. */
const MAX_NAMED = 100;

export interface TakedownServiceDeps extends Pick<AreaParts, 'outbox' | 'mails'> {
  readonly pages: TakedownPages;
}

export interface CreatedTakedown {
  readonly takedown: Takedown;
  /** Number of redirects that the takedown affects. */
  readonly redirects: number;
}

/** Takes down hosts and destinations: visitors of their redirects get 410. */
export type TakedownService = ReturnType<typeof createTakedownService>;

export function createTakedownService({ outbox, mails, pages }: TakedownServiceDeps) {
  async function tellOwners(tx: Queryable, { reason }: Takedown, affected: readonly AffectedRedirect[]) {
    for (const [userId, redirects] of [...byOwner(affected)].slice(0, MAX_TOLD)) {
      const hosts = redirects.slice(0, MAX_NAMED).map(({ host }) => host);
      await emit(tx, userId, 'redirect.taken_down', { domains: hosts, count: redirects.length, reason });
      const to = redirects[0]?.email;
      if (to != null) await mails.enqueue(tx, takedownMail(to, hosts, redirects.length, reason));
    }
  }

  return {
    /** @throws {AppError} VALIDATION_ERROR */
    async create(
      operator: CurrentUser,
      {
        reason,
        ...given
      }: { readonly host?: string; readonly destinationHost?: string; readonly reason: string },
      keep?: KeepAnswer<CreatedTakedown>,
    ): Promise<CreatedTakedown> {
      const target = requireTarget(given);
      const created = await outbox.commit(async (tx, record) => {
        const createdBy = operator.email ?? operator.id;
        const takedown = await takedownRepository.insert(tx, { ...target, id: newId(), reason, createdBy });
        if (takedown === undefined) throw alreadyDown(target);
        const found = await pages.find(tx, takedown);
        const { affected } = found;
        await recordTakedown(tx, 'redirect.taken_down', affected);
        await tellOwners(tx, takedown, affected);
        const subject = target.host ?? target.destinationHost ?? '';
        const detail = { id: takedown.id, ...target, reason };
        await operatorLog.add(tx, operator, { action: 'takedown.create', subject, detail });
        const made = { takedown, redirects: affected.length };
        await keep?.(tx, made);
        await pages.begin({ tx, record, takedown }, found);
        return made;
      });
      mails.wake();
      await pages.publish(created.takedown.id);
      return created;
    },

    /** @throws {AppError} NOT_FOUND */
    async lift(operator: CurrentUser, id: string): Promise<Takedown> {
      const lifted = await outbox.commit(async (tx, record) => {
        const takedown = await takedownRepository.lift(tx, id, operator.email ?? operator.id);
        if (takedown === undefined) {
          throw new AppError('NOT_FOUND', { message: 'There is no active takedown with this id.' });
        }
        const found = await pages.find(tx, takedown);
        await recordTakedown(tx, 'redirect.takedown_lifted', found.affected);
        const subject = takedown.host ?? takedown.destinationHost ?? '';
        await operatorLog.add(tx, operator, { action: 'takedown.lift', subject, detail: { id } });
        await pages.begin({ tx, record, takedown }, found);
        return takedown;
      });
      await pages.publish(id);
      return lifted;
    },
  };
}

/** Records versions without a change of settings. The versions do not name the operator. */
async function recordTakedown(
  tx: Queryable,
  action: keyof typeof TAKEDOWN_SUMMARIES,
  affected: readonly AffectedRedirect[],
): Promise<void> {
  const recorded = affected.slice(0, MAX_RECORDED);
  await takedownRepository.lock(
    tx,
    recorded.map(({ id }) => id),
  );
  const summary = TAKEDOWN_SUMMARIES[action];
  for (const [userId, redirects] of byOwner(recorded)) {
    const versions = redirects.map(({ id, host }) => ({ redirectId: id, name: host, delta: {} }));
    await recordVersions(tx, { userId, by: null, action, summary }, versions);
  }
}

const TAKEDOWN_SUMMARIES = {
  'redirect.taken_down': 'Taken down by the operator',
  'redirect.takedown_lifted': 'Takedown lifted by the operator',
} as const;

function byOwner(affected: readonly AffectedRedirect[]): Map<string, AffectedRedirect[]> {
  const byOwner = new Map<string, AffectedRedirect[]>();
  for (const redirect of affected) {
    const known = byOwner.get(redirect.userId);
    if (known === undefined) byOwner.set(redirect.userId, [redirect]);
    else known.push(redirect);
  }
  return byOwner;
}

/** @throws {AppError} VALIDATION_ERROR */
function requireTarget(given: { readonly host?: string; readonly destinationHost?: string }): TakedownTarget {
  if ((given.host === undefined) === (given.destinationHost === undefined)) {
    throw new AppError('VALIDATION_ERROR', {
      field: given.host === undefined ? 'host' : 'destinationHost',
      message: 'Give exactly one of host (of redirects) and destinationHost (that redirects lead to).',
    });
  }
  if (given.host !== undefined) {
    const parsed = parseDomainOrWildcard(given.host);
    if (!parsed.ok) throw new AppError('VALIDATION_ERROR', { field: 'host', message: parsed.message });
    return { host: parsed.domain, destinationHost: null };
  }
  const text = given.destinationHost ?? '';
  const parsed = /[/?#@]/.test(text)
    ? undefined
    : parseDestination(`https://${text}`, { pathForwarding: false });
  if (parsed?.ok !== true) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'destinationHost',
      message: 'destinationHost must be a host alone, such as www.example.com.',
    });
  }
  return { host: null, destinationHost: parsed.host };
}

function alreadyDown({ host, destinationHost }: TakedownTarget): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: host === null ? 'destinationHost' : 'host',
    message: `${host ?? destinationHost} is taken down already; lift that takedown first to change its reason.`,
  });
}

function takedownMail(to: string, hosts: readonly string[], count: number, reason: string) {
  const more = count > hosts.length ? `\n… and ${count - hosts.length} more` : '';
  return {
    to,
    subject: 'Redirects were taken down',
    text: `The operator of this service has taken down these hosts of your redirects. Their visitors get 410 (Gone):

${hosts.join('\n')}${more}

Reason: ${reason}
`,
  };
}
