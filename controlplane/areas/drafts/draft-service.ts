import { AppError, type ErrorBody, errorBody } from '../../errors/app-error.js';
import { type BrokenExample, type BrokenExamples, examplesBroken } from '../../errors/examples-broken.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { type Actor, differencesOf, type StateDifference, type StateOf } from '../history/public.js';
import type { CheckedWholeTable } from '../paths/public.js';
import { parseDateField, type Redirect, type RedirectService, recordAside } from '../redirects/public.js';
import { MAX_BYTES_OF_REDIRECT, type Rule, type RuleReplacement } from '../rules/public.js';
import type { DefinitionApplier, TriedDefinition } from './apply-definition.js';
import { type Definition, draftedRules, prepareDefinition } from './definition.js';
import { type Draft, DraftOutdatedError, draftChanged, noDraft, notNamed } from './draft.js';
import { draftRepository } from './draft-repository.js';

/** Maximum changes that the refusal of an outdated draft lists. */
const MAX_CHANGES = 50;
const MAX_AHEAD_MS = 366 * 24 * 60 * 60 * 1_000;

/** A draft, and the effect of its publication now. */
export interface DraftView {
  readonly draft: Draft;
  readonly redirect: Redirect;
  /** Undefined if it would be refused, except for broken examples. */
  readonly tried: TriedDefinition | undefined;
  /** Examples that it would break. */
  readonly broken: readonly BrokenExample[];
  /** Error that its publication would get; undefined if it would be accepted. */
  readonly error: ErrorBody['error'] | undefined;
}

export interface DraftInput {
  readonly definition: Definition;
  /**
   * Version of the redirect on which the draft is based. Default: the base of the previous draft, or the current
   * version.
   */
  readonly baseVersion?: number | undefined;
}

/** Finds the examples of a redirect that a draft would break. */
export interface ExamplesOfDrafts {
  brokenBy(
    source: Queryable,
    current: Redirect,
    drafted: {
      readonly redirect: Redirect;
      /** Undefined for the stored ones, like `paths`. */
      readonly rules: readonly Rule[] | undefined;
      readonly paths: CheckedWholeTable | undefined;
    },
  ): Promise<BrokenExamples>;
}

export interface DraftServiceDeps {
  readonly database: Database;
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate'>;
  readonly rules: Pick<RuleReplacement, 'parse'>;
  readonly applier: Pick<DefinitionApplier, 'try' | 'publish'>;
  readonly examples: ExamplesOfDrafts;
  readonly stateOf: StateOf;
  readonly nowMs?: () => number;
}

/** Returns the version of a draft in the form of its tags. It differs from the tag of a redirect. */
export function tagVersion({ version }: Pick<Draft, 'version'>): `d${number}` {
  return `d${version}`;
}

export type DraftService = ReturnType<typeof createDraftService>;

/**
 * Drafts of a user's redirects. Each function throws `AppError` NOT_FOUND for an unknown resource and FORBIDDEN for
 * redirects of other users. `precondition` may name the version of the draft with the prefix `d`.
 */
export function createDraftService(deps: DraftServiceDeps) {
  const { database, redirects, rules, applier, examples, stateOf } = deps;
  const { nowMs = Date.now } = deps;

  async function requireDraft(redirectId: string): Promise<Draft> {
    const draft = await draftRepository.find(database, redirectId);
    if (draft === undefined) throw noDraft();
    return draft;
  }

  async function tryDraft(
    user: CurrentUser,
    { redirectId, definition }: Pick<Draft, 'redirectId' | 'definition'>,
  ): Promise<TriedDefinition> {
    return applier.try(user, redirectId, await prepareDefinition(definition, rules));
  }

  /** Returns the examples that a draft would break. */
  async function brokenBy(
    current: Redirect,
    { redirect, rules: replaced, paths }: TriedDefinition,
  ): Promise<BrokenExamples> {
    return examples.brokenBy(database, current, {
      redirect,
      rules: replaced && draftedRules(replaced),
      paths,
    });
  }

  async function view(user: CurrentUser, draft: Draft, redirect: Redirect): Promise<DraftView> {
    let tried: TriedDefinition | undefined;
    try {
      tried = await tryDraft(user, draft);
      const broken = await brokenBy(redirect, tried);
      const error = broken.count === 0 ? undefined : errorBody(examplesBroken(broken)).error;
      return { draft, redirect, tried, broken: broken.listed, error };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return { draft, redirect, tried, broken: [], error: errorBody(error).error };
    }
  }

  /** Lists the changes since the base version of the draft. */
  async function changesSince(id: string, base: number, now: number): Promise<StateDifference[] | null> {
    const before = await stateOf(database, id, base);
    const after = await stateOf(database, id, now);
    return before && after ? differencesOf(before, after).slice(0, MAX_CHANGES) : null;
  }

  async function withChanges<T>(redirectId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DraftOutdatedError)) throw error;
      const { baseVersion, currentVersion } = error;
      const changes = await changesSince(redirectId, baseVersion, currentVersion);
      throw new DraftOutdatedError(baseVersion, currentVersion, changes);
    }
  }

  return {
    async get(user: CurrentUser, redirectId: string): Promise<DraftView> {
      const redirect = await redirects.requireOwned(redirectId, user.id);
      return view(user, await requireDraft(redirectId), redirect);
    },

    /** Replaces the draft, and cancels its publication. @throws {AppError} VALIDATION_ERROR, PRECONDITION_FAILED */
    async put(
      user: CurrentUser,
      redirectId: string,
      { definition, baseVersion }: DraftInput,
      precondition: Precondition | undefined,
    ): Promise<DraftView> {
      await redirects.requireOwned(redirectId, user.id);
      requireBounded(definition);
      const redirect = await database.transaction(async (tx) => {
        const current = await redirects.requireOwnedForUpdate(tx, redirectId, user.id);
        const before = await draftRepository.lock(tx, redirectId);
        requirePrecondition(precondition, before === undefined ? 'd0' : tagVersion(before));
        requireKnownBase(baseVersion, current.version);
        const base = baseVersion ?? before?.baseVersion ?? current.version;
        const draft = { redirectId, userId: user.id, definition, writtenBy: actorOf(user) };
        await draftRepository.write(tx, { ...draft, baseVersion: base });
        await recordAside(tx, current, user, 'draft.written', partsOf(definition));
        return current;
      });
      return view(user, await requireDraft(redirectId), redirect);
    },

    async delete(
      user: CurrentUser,
      redirectId: string,
      precondition: Precondition | undefined,
    ): Promise<Redirect> {
      return database.transaction(async (tx) => {
        const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, user.id);
        const draft = await draftRepository.lock(tx, redirectId);
        if (draft === undefined) throw noDraft();
        requirePrecondition(precondition, tagVersion(draft));
        await draftRepository.delete(tx, redirectId);
        await recordAside(tx, redirect, user, 'draft.deleted', 'Discarded the draft');
        return redirect;
      });
    },

    /**
     * Publishes the draft.
     *
     * @param precondition may also name the current version of the redirect. The draft then replaces later changes
     * @throws {DraftOutdatedError} if the redirect has changed since the draft was made
     * @throws {AppError} PRECONDITION_FAILED and the errors of the single requests
     */
    async publish(
      user: CurrentUser,
      redirectId: string,
      precondition: Precondition | undefined,
    ): Promise<Redirect> {
      await redirects.requireOwned(redirectId, user.id);
      const draft = await requireDraft(redirectId);
      return withChanges(redirectId, () =>
        applier.publish(user, draft, (current) => requireSeen(draft, current, precondition)),
      );
    },

    /** Schedules the publication. Does the checks of `publish`. @throws as `publish` */
    async schedule(
      user: CurrentUser,
      redirectId: string,
      text: string,
      precondition: Precondition | undefined,
    ): Promise<DraftView> {
      const redirect = await redirects.requireOwned(redirectId, user.id);
      const at = requireTime(text, nowMs());
      const draft = await requireDraft(redirectId);
      await withChanges(redirectId, async () => requireSeen(draft, redirect, precondition));
      const tried = await tryDraft(user, draft);
      if (user.mayBreakExamples !== true) {
        const broken = await brokenBy(redirect, tried);
        if (broken.count > 0) throw examplesBroken(broken);
      }
      await withChanges(redirectId, () =>
        database.transaction(async (tx) => {
          const current = await redirects.requireOwnedForUpdate(tx, redirectId, user.id);
          const stored = await draftRepository.lock(tx, redirectId);
          if (stored?.version !== draft.version) throw draftChanged();
          requireSeen(draft, current, precondition);
          const schedule = { at, by: actorOf(user), baseVersion: current.version };
          await draftRepository.schedule(tx, redirectId, schedule);
          const summary = `Scheduled the draft for ${at.toISOString()}`;
          await recordAside(tx, current, user, 'draft.scheduled', summary);
        }),
      );
      return view(user, await requireDraft(redirectId), redirect);
    },

    /**
     * Returns the redirect as a draft would change it.
     *
     * @param given default: the definition of the stored draft
     * @throws {AppError} the errors of the single requests
     */
    async try(user: CurrentUser, redirectId: string, given?: Definition): Promise<TriedDefinition> {
      await redirects.requireOwned(redirectId, user.id);
      requireBounded(given ?? {});
      return tryDraft(user, given ? { redirectId, definition: given } : await requireDraft(redirectId));
    },
  };
}

function partsOf({ redirect, rules, paths }: Definition): string {
  const parts = [
    redirect && `${Object.keys(redirect).length} settings`,
    rules && `${rules.length} rules`,
    paths && `${paths.entries.length} paths`,
  ].filter((part) => part !== undefined);
  return `Wrote a draft: ${parts.length === 0 ? 'empty' : parts.join(', ')}`;
}

/** Refuses a draft that is based on another version, unless the caller names the current one. */
function requireSeen(draft: Draft, current: Redirect, precondition: Precondition | undefined): void {
  const isSeen = precondition?.(current.version) === true;
  const { baseVersion } = draft;
  if (isSeen) return;
  const isNamed = precondition === undefined || precondition(tagVersion(draft));
  if (isNamed && baseVersion === current.version) return;
  if (baseVersion !== current.version) throw new DraftOutdatedError(baseVersion, current.version);
  throw notNamed(current.version);
}

function requireKnownBase(base: number | undefined, current: number): void {
  if (base === undefined || base <= current) return;
  const message = `baseVersion must be a version of the redirect: 1 to ${current}.`;
  throw new AppError('VALIDATION_ERROR', { field: 'baseVersion', message });
}

/** Limits the size of a stored draft. Publishing checks the rest. */
function requireBounded({ rules = [] }: Definition): void {
  const bytes = Buffer.byteLength(JSON.stringify(rules));
  if (bytes <= MAX_BYTES_OF_REDIRECT) return;
  const message = `rules must have at most ${MAX_BYTES_OF_REDIRECT} bytes as JSON; these have ${bytes}.`;
  throw new AppError('VALIDATION_ERROR', { field: 'rules', message });
}

function requireTime(text: string, nowMs: number): Date {
  const at = parseDateField(text, 'at', 'start');
  const aheadMs = at === null ? 0 : at.getTime() - nowMs;
  if (at !== null && aheadMs > 0 && aheadMs <= MAX_AHEAD_MS) return at;
  const message = 'at must be a time in the future, at most a year ahead.';
  throw new AppError('VALIDATION_ERROR', { field: 'at', message });
}

/** Returns the caller. A scheduled publication has the rights of its request. */
function actorOf({ id, email, tokenId, address, mayBreakExamples }: CurrentUser): Actor {
  return {
    id,
    email,
    ...(tokenId !== undefined && { tokenId }),
    ...(address !== undefined && { address }),
    ...(mayBreakExamples !== undefined && { mayBreakExamples }),
  };
}
