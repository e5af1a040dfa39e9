import { randomBytes } from 'node:crypto';
import { DEFAULT_CACHE_SECONDS } from '../../shared/ruleset/redirect-definition.js';
import type { CurrentUser } from '../accounts/current-user.js';
import { requireRoom } from '../accounts/plan-limit.js';
import type { Database, Queryable } from '../database/database.js';
import { newId } from '../database/new-id.js';
import { parseDestination } from '../domains/destination-url.js';
import { parseFromDomain } from '../domains/domain-name.js';
import { isLocalName } from '../domains/domain-verification.js';
import { AppError } from '../errors/app-error.js';
import { requireNoLoopByDestination } from '../loops/rule-loops.js';
import type { RecordChange, RulesetOutbox } from '../publisher/ruleset-outbox.js';
import { createListedRedirects, type ListRedirects } from './listed-redirects.js';
import type { ReadPage } from './long-lists.js';
import type { Redirect, RedirectSettings } from './redirect.js';
import { MAX_HOPS, type RedirectRepository } from './redirect-repository.js';
import type { CreateRedirect, UpdateRedirect } from './redirect-schema.js';
import { announceVerified } from './verified-announcement.js';

/** Time until the first background check of a new domain; people usually verify by hand before. */
const FIRST_CHECK_AFTER_SECONDS = 60;

/** Some 2 MB of rows and JSON. To serialize them takes about 10 ms, during which nobody else is answered. */
const PAGE_SIZE = 1_000;

/** Settings with the host of the destination. */
type StoredSettings = RedirectSettings & { readonly toHost: string };

interface Edge {
  readonly fromDomain: string;
  readonly toHost: string;
  readonly userId: string;
}

export interface RedirectServiceDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly repository: RedirectRepository;
}

/** Creating, reading, changing and deleting redirects, and who may. */
export interface RedirectService {
  create(user: CurrentUser, input: CreateRedirect): Promise<Redirect>;
  readonly list: ListRedirects;
  /** Reads a page of a list that is too long for `list`. */
  readonly listPage: ReadPage;
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
  async function insert(tx: Queryable, record: RecordChange, user: CurrentUser, input: CreateRedirect) {
    const fromDomain = requireFromDomain(input.fromDomain, 'fromDomain');
    const settings = requireSettings({
      toDomain: input.toDomain,
      redirectType: input.redirectType ?? 'permanent',
      pathForwarding: input.pathForwarding ?? false,
      queryForwarding: input.queryForwarding ?? false,
      samplingRate: input.samplingRate ?? 1,
      cacheSeconds: input.cacheSeconds ?? DEFAULT_CACHE_SECONDS,
      queryRecording: input.queryRecording ?? 'full',
    });
    const edge = { fromDomain, toHost: settings.toHost, userId: user.id };
    const obstacles = await repository.findObstacles(tx, edge);
    if (obstacles.isOwn) throw domainExists(fromDomain);
    if (obstacles.isTaken) throw domainTaken(fromDomain, 'fromDomain');
    if (obstacles.leadsOn) await requireNoLoop(tx, edge);
    requireRoomInPlan(user, obstacles.ownCount);
    const redirect = await repository.insert(tx, {
      ...settings,
      id: newId(),
      userId: user.id,
      fromDomain,
      verificationValue: `waymark-verify=${randomBytes(20).toString('hex')}`,
      verification: isLocalName(fromDomain)
        ? 'at-once'
        : { firstCheckAfterSeconds: FIRST_CHECK_AFTER_SECONDS },
    });
    if (obstacles.leadsOn) await requireNoLoopByDestination(tx, redirect);
    if (redirect.verifiedAt !== null) {
      record(fromDomain);
      await announceVerified(tx, redirect);
    }
    return redirect;
  }

  /** @throws {AppError} REDIRECT_LOOP when this edge would close one, VALIDATION_ERROR when the chain is too long */
  async function requireNoLoop(tx: Queryable, edge: Edge): Promise<void> {
    const loop = await repository.findLoop(tx, edge);
    if (loop === undefined) return;
    if (loop === 'too-long') throw chainTooLong();
    throw new AppError('REDIRECT_LOOP', {
      field: 'toDomain',
      message: `This destination leads back to the domain: ${loop.join(' → ')}. Choose one outside this loop.`,
    });
  }

  async function requireOwnedForUpdate(tx: Queryable, id: string, userId: string): Promise<Redirect> {
    return requireOwner(await repository.findByIdForUpdate(tx, id), userId);
  }

  /** Whether an update leads to another host, which needs the lock of the graph. Others may change it meanwhile. */
  async function wouldMove(userId: string, id: string, input: UpdateRedirect): Promise<boolean> {
    const current = requireOwner(await repository.findById(database, id), userId);
    return changedSettings(current, input).toHost !== current.toHost;
  }

  /** An update without the lock of the graph. Gives undefined, and changes nothing, if that lock is needed. */
  function updating(user: CurrentUser, id: string, input: UpdateRedirect) {
    return async (tx: Queryable, record: RecordChange): Promise<Redirect | undefined> => {
      const current = await requireOwnedForUpdate(tx, id, user.id);
      const settings = changedSettings(current, input);
      return settings.toHost === current.toHost ? write(tx, record, id, settings) : undefined;
    };
  }

  /** An update under the lock of the graph. */
  function updatingEdge(user: CurrentUser, id: string, input: UpdateRedirect) {
    return async (tx: Queryable, record: RecordChange): Promise<Redirect> => {
      const current = await requireOwnedForUpdate(tx, id, user.id);
      const settings = changedSettings(current, input);
      const edge = { fromDomain: current.fromDomain, toHost: settings.toHost, userId: user.id };
      const isMoved = settings.toHost !== current.toHost;
      const leadsOn = isMoved && (await repository.findObstacles(tx, edge)).leadsOn;
      if (leadsOn) await requireNoLoop(tx, edge);
      const updated = await write(tx, record, id, settings);
      if (leadsOn) await requireNoLoopByDestination(tx, updated);
      return updated;
    };
  }

  async function write(tx: Queryable, record: RecordChange, id: string, settings: StoredSettings) {
    const updated = await repository.update(tx, id, settings);
    if (updated.verifiedAt !== null) record(updated.fromDomain);
    return updated;
  }

  return {
    create: (user, input) =>
      outbox.commitInBatch((tx, record) => insert(tx, record, user, input), repository.lockGraph),

    list: createListedRedirects({ database, repository }),

    listPage: (userId, after) =>
      repository.pageOfUser(database, userId, { limit: PAGE_SIZE, ...(after !== undefined && { after }) }),

    requireOwned: async (id, userId) => requireOwner(await repository.findById(database, id), userId),

    requireOwnedForUpdate,

    async update(user, id, input) {
      const mayMove = input.toDomain !== undefined && (await wouldMove(user.id, id, input));
      const updated = mayMove ? undefined : await outbox.commitInBatch(updating(user, id, input));
      if (updated !== undefined) return updated;
      return outbox.commitInBatch(updatingEdge(user, id, input), repository.lockGraph);
    },

    delete: (user, id) =>
      outbox.commitInBatch(async (tx, record) => {
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

/** A visitor would pass more redirects than are allowed. */
export function chainTooLong(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'toDomain',
    message: `toDomain must lead to its end in at most ${MAX_HOPS} redirects; choose a destination nearer to the end of the chain.`,
  });
}

function requireRoomInPlan({ plan }: CurrentUser, used: number): void {
  requireRoom(plan, { limit: plan.maxRedirects, used, what: 'redirects', has: 'you have' });
}

/** @throws {AppError} VALIDATION_ERROR naming `toDomain` */
function requireSettings(settings: RedirectSettings): StoredSettings {
  const parsed = parseDestination(settings.toDomain, { pathForwarding: settings.pathForwarding });
  if (!parsed.ok) throw new AppError('VALIDATION_ERROR', { field: 'toDomain', message: parsed.message });
  return { ...settings, toDomain: parsed.destination, toHost: parsed.host };
}

/** @throws {AppError} VALIDATION_ERROR naming what is wrong or cannot change */
function changedSettings(current: Redirect, input: UpdateRedirect): StoredSettings {
  requireUnchanged(current, input);
  return requireSettings({
    toDomain: input.toDomain ?? current.toDomain,
    redirectType: input.redirectType ?? current.redirectType,
    pathForwarding: input.pathForwarding ?? current.pathForwarding,
    queryForwarding: input.queryForwarding ?? current.queryForwarding,
    samplingRate: input.samplingRate ?? current.samplingRate,
    cacheSeconds: input.cacheSeconds ?? current.cacheSeconds,
    queryRecording: input.queryRecording ?? current.queryRecording,
  });
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
