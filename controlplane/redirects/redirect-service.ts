import { randomBytes } from 'node:crypto';
import { DEFAULT_CACHE_SECONDS } from '../../shared/ruleset/redirect-definition.js';
import type { CurrentUser } from '../accounts/current-user.js';
import { requireRoom } from '../accounts/plan-limit.js';
import { UNLIMITED } from '../accounts/plans.js';
import type { Database, Queryable } from '../database/database.js';
import { newId } from '../database/new-id.js';
import { parseDestination } from '../domains/destination-url.js';
import { parseFromDomain } from '../domains/domain-name.js';
import { isLocalName } from '../domains/domain-verification.js';
import { AppError } from '../errors/app-error.js';
import { requireNoLoopByDestination } from '../loops/rule-loops.js';
import type { RecordChange, RulesetOutbox } from '../publisher/ruleset-outbox.js';
import { createListedRedirects, type ListRedirects } from './listed-redirects.js';
import type { Redirect, RedirectSettings } from './redirect.js';
import type { RedirectRepository } from './redirect-repository.js';
import type { CreateRedirect, UpdateRedirect } from './redirect-schema.js';
import { announceVerified } from './verified-announcement.js';

/** Time until the first background check of a new domain; people usually verify by hand before. */
const FIRST_CHECK_AFTER_SECONDS = 60;

export interface RedirectServiceDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly repository: RedirectRepository;
}

/** Creating, reading, changing and deleting redirects, and who may. */
export interface RedirectService {
  create(user: CurrentUser, input: CreateRedirect): Promise<Redirect>;
  readonly list: ListRedirects;
  /**
   * The redirect, if it is this user's.
   *
   * @throws {AppError} NOT_FOUND, FORBIDDEN
   */
  requireOwned(id: string, userId: string): Promise<Redirect>;
  /**
   * The redirect, if it is this user's; nobody else changes it or what belongs to it until the transaction ends.
   *
   * @throws {AppError} NOT_FOUND, FORBIDDEN
   */
  requireOwnedForUpdate(tx: Queryable, id: string, userId: string): Promise<Redirect>;
  update(user: CurrentUser, id: string, input: UpdateRedirect): Promise<Redirect>;
  delete(user: CurrentUser, id: string): Promise<Redirect>;
}

export function createRedirectService({
  database,
  outbox,
  repository,
}: RedirectServiceDeps): RedirectService {
  /** @throws {AppError} REDIRECT_LOOP when this edge would close one */
  async function requireNoLoop(
    tx: Queryable,
    edge: { fromDomain: string; toHost: string; userId: string },
  ): Promise<void> {
    const loop = await repository.findLoop(tx, edge);
    if (loop === undefined) return;
    throw new AppError('REDIRECT_LOOP', {
      field: 'toDomain',
      message: `This destination leads back to the domain: ${loop.join(' → ')}. Choose one outside this loop.`,
    });
  }

  async function requireFree(tx: Queryable, fromDomain: string, userId: string): Promise<void> {
    const claims = await repository.findClaims(tx, fromDomain);
    if (claims.some((claim) => claim.userId === userId)) throw domainExists(fromDomain);
    if (claims.some((claim) => claim.verifiedAt !== null)) throw domainTaken(fromDomain, 'fromDomain');
  }

  async function requireRoomInPlan(tx: Queryable, { id, plan }: CurrentUser): Promise<void> {
    if (plan.maxRedirects === UNLIMITED) return;
    const used = await repository.countOfUser(tx, id);
    requireRoom(plan, { limit: plan.maxRedirects, used, what: 'redirects', has: 'you have' });
  }

  async function insert(tx: Queryable, record: RecordChange, user: CurrentUser, input: CreateRedirect) {
    const fromDomain = requireFromDomain(input.fromDomain, 'fromDomain');
    const { destination, ...settings } = requireSettings({
      toDomain: input.toDomain,
      redirectType: input.redirectType ?? 'permanent',
      pathForwarding: input.pathForwarding ?? false,
      queryForwarding: input.queryForwarding ?? false,
      samplingRate: input.samplingRate ?? 1,
      cacheSeconds: input.cacheSeconds ?? DEFAULT_CACHE_SECONDS,
      queryRecording: input.queryRecording ?? 'full',
    });
    await repository.lockGraph(tx);
    await requireFree(tx, fromDomain, user.id);
    await requireNoLoop(tx, { fromDomain, toHost: settings.toHost, userId: user.id });
    await requireRoomInPlan(tx, user);
    const redirect = await repository.insert(tx, {
      ...settings,
      toDomain: destination,
      id: newId(),
      userId: user.id,
      fromDomain,
      verificationValue: `waymark-verify=${randomBytes(20).toString('hex')}`,
      verification: isLocalName(fromDomain)
        ? 'at-once'
        : { firstCheckAfterSeconds: FIRST_CHECK_AFTER_SECONDS },
    });
    await requireNoLoopByDestination(tx, redirect);
    if (redirect.verifiedAt !== null) {
      record(fromDomain);
      await announceVerified(tx, redirect);
    }
    return redirect;
  }

  async function requireOwnedForUpdate(tx: Queryable, id: string, userId: string): Promise<Redirect> {
    return requireOwner(await repository.findByIdForUpdate(tx, id), userId);
  }

  return {
    create: (user, input) => outbox.commit((tx, record) => insert(tx, record, user, input)),

    list: createListedRedirects({ database, repository }),

    requireOwned: async (id, userId) => requireOwner(await repository.findById(database, id), userId),

    requireOwnedForUpdate,

    update: (user, id, input) =>
      outbox.commit(async (tx, record) => {
        await repository.lockGraph(tx);
        const current = await requireOwnedForUpdate(tx, id, user.id);
        requireUnchanged(current, input);
        const { destination, ...settings } = requireSettings({
          toDomain: input.toDomain ?? current.toDomain,
          redirectType: input.redirectType ?? current.redirectType,
          pathForwarding: input.pathForwarding ?? current.pathForwarding,
          queryForwarding: input.queryForwarding ?? current.queryForwarding,
          samplingRate: input.samplingRate ?? current.samplingRate,
          cacheSeconds: input.cacheSeconds ?? current.cacheSeconds,
          queryRecording: input.queryRecording ?? current.queryRecording,
        });
        if (settings.toHost !== current.toHost) {
          await requireNoLoop(tx, {
            fromDomain: current.fromDomain,
            toHost: settings.toHost,
            userId: user.id,
          });
        }
        const updated = await repository.update(tx, id, { ...settings, toDomain: destination });
        if (settings.toHost !== current.toHost) await requireNoLoopByDestination(tx, updated);
        if (updated.verifiedAt !== null) record(updated.fromDomain);
        return updated;
      }),

    delete: (user, id) =>
      outbox.commit(async (tx, record) => {
        const redirect = await requireOwnedForUpdate(tx, id, user.id);
        await repository.delete(tx, id);
        if (redirect.verifiedAt !== null) record(redirect.fromDomain);
        return redirect;
      }),
  };
}

/** The one place where ownership is checked. */
function requireOwner(redirect: Redirect | undefined, userId: string): Redirect {
  if (redirect === undefined) {
    throw new AppError('NOT_FOUND', { message: 'There is no redirect with this id.' });
  }
  if (redirect.userId !== userId) {
    throw new AppError('FORBIDDEN', { message: 'This redirect belongs to someone else.' });
  }
  return redirect;
}

/** @throws {AppError} VALIDATION_ERROR naming `field` */
export function requireFromDomain(input: string, field: string): string {
  const parsed = parseFromDomain(input);
  if (parsed.ok) return parsed.domain;
  throw new AppError('VALIDATION_ERROR', { field, message: parsed.message });
}

/** @param field the member of the request that named the domain */
export function domainTaken(domain: string, field: string): AppError {
  return new AppError('DOMAIN_TAKEN', {
    field,
    message: `${domain} has been verified by another user and belongs to them here.`,
  });
}

function domainExists(domain: string): AppError {
  return new AppError('DOMAIN_EXISTS', {
    field: 'fromDomain',
    message: `You already have a redirect for ${domain}; update that one instead.`,
  });
}

function requireSettings(settings: RedirectSettings) {
  const parsed = parseDestination(settings.toDomain, { pathForwarding: settings.pathForwarding });
  if (!parsed.ok) throw new AppError('VALIDATION_ERROR', { field: 'toDomain', message: parsed.message });
  return { ...settings, destination: parsed.destination, toHost: parsed.host };
}

function requireUnchanged(current: Redirect, input: UpdateRedirect): void {
  if (input.id !== undefined && input.id !== current.id) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'id',
      message: 'id must be the id of the path, or be left out.',
    });
  }
  if (input.fromDomain === undefined) return;
  if (requireFromDomain(input.fromDomain, 'fromDomain') !== current.fromDomain) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'fromDomain',
      message: 'fromDomain cannot change; create a redirect for the other domain instead.',
    });
  }
}
