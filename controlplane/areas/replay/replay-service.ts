import { randomBytes } from 'node:crypto';
import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { PagePosition } from '../../http/page-cursor.js';
import { asAnswer, readMoment } from '../analytics/public.js';
import type { StateOf } from '../history/public.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import type { ListedReplay, Replay, ReplayedDefinition } from './replay.js';
import { formerDefinition, type ReplayedDraft, replayedDefinition } from './replay-definition.js';
import { replayRepository } from './replay-repository.js';
import { DEFAULT_SAMPLE, type NewReplay } from './replay-schema.js';
import { createVisitReader, type Slice } from './visit-reader.js';

/** Replays of a user. */
export interface ReplayService {
  /** @throws {AppError} NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, REDIRECT_LOOP, RATE_LIMIT_EXCEEDED */
  create(user: CurrentUser, redirectId: string, input: NewReplay, keep?: KeepAnswer<Replay>): Promise<Replay>;
  /** @throws {AppError} NOT_FOUND, FORBIDDEN */
  requireOwned(id: string, userId: string): Promise<Replay>;
  /** Reads a page of the replays of a redirect, newest first, with one more than `limit`. @throws {AppError} NOT_FOUND, FORBIDDEN */
  page(userId: string, redirectId: string, after: PagePosition, limit: number): Promise<ListedReplay[]>;
  /** Ends a replay that has not ended. @throws {AppError} NOT_FOUND, FORBIDDEN */
  cancel(id: string, userId: string): Promise<Replay>;
}

export interface ReplayServiceDeps extends Pick<AreaParts, 'database' | 'store'> {
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  /** Days that hits of a user are kept; undefined for ever. */
  readonly retentionDaysOf: (userId: string) => Promise<number | undefined>;
  /** Reads the stored draft of a redirect. Throws `AppError` NOT_FOUND without one. */
  readonly draftOf: (user: CurrentUser, redirectId: string) => Promise<ReplayedDraft>;
  readonly stateOf: StateOf;
  readonly clock?: () => Date;
}

/** Replays of a user that wait or run. */
const MAX_OPEN_PER_USER = 5;
const DAY_MS = 86_400_000;
const ID_BYTES = 12;

export function createReplayService(deps: ReplayServiceDeps): ReplayService {
  const { database, store, redirects, retentionDaysOf, draftOf, stateOf, clock = () => new Date() } = deps;

  async function requireOwned(id: string, userId: string): Promise<Replay> {
    const found = await replayRepository.find(database, id);
    if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no replay with this id.' });
    if (found.userId === userId) return found;
    throw new AppError('FORBIDDEN', { message: 'This replay belongs to another user.' });
  }

  async function requireFewOpen(userId: string): Promise<void> {
    if ((await replayRepository.countOpen(database, userId)) < MAX_OPEN_PER_USER) return;
    const message = `At most ${MAX_OPEN_PER_USER} replays of yours can wait at a time; retry when they are done.`;
    throw new AppError('RATE_LIMIT_EXCEEDED', { message });
  }

  /** @throws {AppError} when no hit of the period can be there */
  async function requireKept(userId: string, { fromMs, toMs }: Slice): Promise<void> {
    const days = await retentionDaysOf(userId);
    const now = clock().getTime();
    if (fromMs > now) {
      throw refused('start', `start must not be in the future (now is ${iso(now)}).`);
    }
    if (days === undefined) return;
    const keptFromMs = now - days * DAY_MS;
    if (toMs > keptFromMs) return;
    throw refused(
      'end',
      `Hits of this redirect are kept for ${days} days, so end must be after ${iso(keptFromMs)}.`,
    );
  }

  async function definitionFor(
    user: CurrentUser,
    redirect: Redirect,
    { draft, version }: NewReplay,
  ): Promise<ReplayedDefinition> {
    if (draft === false) throw refused('draft', 'draft must be true, a definition, or be left out.');
    if (version === undefined) {
      return draft === true
        ? replayedDefinition(database, redirect, await storedDraft(user, redirect.id), 'stored')
        : replayedDefinition(database, redirect, draft);
    }
    if (draft !== undefined) throw refused('version', 'Give draft or version, not both.');
    const state = await stateOf(database, redirect.id, version);
    if (state !== undefined) return formerDefinition(database, redirect, state);
    const message = `version must be one of GET /redirects/${redirect.id}/versions that is still known.`;
    throw refused('version', message);
  }

  async function storedDraft(user: CurrentUser, redirectId: string): Promise<ReplayedDraft> {
    try {
      return await draftOf(user, redirectId);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
      throw refused('draft', 'The redirect has no stored draft. Write one, or give a definition as draft.');
    }
  }

  async function requireVisits(userId: string, redirectId: string, period: Slice): Promise<void> {
    const reader = createVisitReader(store, redirectId, { owner: userId });
    const { visits } = await reader.totals(period).catch((error: unknown) => {
      throw asAnswer(error);
    });
    if (visits > 0) return;
    throw refused(
      'start',
      `No visit of this redirect is recorded from ${iso(period.fromMs)} to ${iso(period.toMs - 1)}. Choose a period with visits: GET /analytics/redirect/${redirectId}/stats/time shows when there were some.`,
    );
  }

  return {
    async create(user, redirectId, input, keep) {
      const { id: userId } = user;
      const redirect = await redirects.requireOwned(redirectId, userId);
      const period = periodOf(input);
      await requireKept(userId, period);
      await requireFewOpen(userId);
      const replayed = await definitionFor(user, redirect, input);
      await requireVisits(userId, redirectId, period);
      const { draft = null, version = redirect.version, sample = DEFAULT_SAMPLE } = input;
      // `false` was refused.
      const source = { draft: draft === false ? null : draft, version };
      const order = { ...replayed, period, sample, source };
      const id = `rp_${randomBytes(ID_BYTES).toString('base64url')}`;
      return database.transaction(async (tx) => {
        const replay = await replayRepository.insert(tx, { id, userId, redirectId, order });
        await keep?.(tx, replay);
        return replay;
      });
    },
    requireOwned,
    async page(userId, redirectId, after, limit) {
      await redirects.requireOwned(redirectId, userId);
      return replayRepository.page(database, redirectId, after, limit);
    },
    async cancel(id, userId) {
      await requireOwned(id, userId);
      await replayRepository.cancel(database, id);
      return requireOwned(id, userId);
    },
  };
}

/** @throws {AppError} VALIDATION_ERROR naming the field */
function periodOf({ start, end }: NewReplay): Slice {
  const fromMs = momentOf(start, 'start');
  const lastMs = momentOf(end, 'end');
  if (fromMs > lastMs) {
    throw refused('start', `start (${iso(fromMs)}) must not be after end (${iso(lastMs)}).`);
  }
  return { fromMs, toMs: lastMs + 1 };
}

/** Times that the store can hold. */
const EARLIEST_MS = Date.UTC(1970, 0, 1);
const LATEST_MS = Date.UTC(2199, 11, 31);

function momentOf(text: string, field: 'start' | 'end'): number {
  const timeMs = readMoment(text, field);
  if (timeMs !== undefined && timeMs >= EARLIEST_MS && timeMs <= LATEST_MS) return timeMs;
  throw refused(
    field,
    `${field} must be a date such as 2026-01-31 or a timestamp such as 2026-01-31T08:00:00Z.`,
  );
}

function refused(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', { field, message });
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
