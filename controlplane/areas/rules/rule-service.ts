import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { requireRoom } from '../plans/public.js';
import {
  lockLoopGraph,
  type Redirect,
  type RedirectService,
  requireNoLoopByRule,
} from '../redirects/public.js';
import { parseNewRule, parseRuleChanges } from './parse-rule.js';
import type { Rule, RuleSettings } from './rule.js';
import { announceRules } from './rule-announcements.js';
import { requireConsistent } from './rule-consistency.js';
import { decidesAnew, recordIfServed } from './rule-decisions.js';
import { movedPlaces, recordRule } from './rule-history.js';
import { type PatchRule, updateOfPatch } from './rule-patch.js';
import {
  placesAfterDelete,
  placesAfterMove,
  placesForNew,
  placesInOrder,
  type RulePlace,
  requireSameRules,
} from './rule-priorities.js';
import { ruleRepository } from './rule-repository.js';
import { type CreateRule, MAX_NAME_LENGTH, type UpdateRule } from './rule-schema.js';
import { isLarger, requireBoundedRules } from './rule-size.js';

export interface RuleServiceDeps extends Pick<AreaParts, 'database' | 'outbox'> {
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate' | 'keepExamples'>;
}

/**
 * Creates, reads, changes and deletes the rules of a user's redirects. Each method throws `AppError` NOT_FOUND for an
 * unknown rule or redirect, and FORBIDDEN for another user's. `ruleId` is the text in the path.
 */
export interface RuleService {
  /** Returns the rules in the order of evaluation. */
  list(userId: string, redirectId: string): Promise<RulesOfRedirect>;
  get(userId: string, ruleId: string): Promise<Rule>;
  /** @throws {AppError} VALIDATION_ERROR naming the field, PLAN_LIMIT_REACHED, PRECONDITION_FAILED */
  create(user: CurrentUser, redirectId: string, input: CreateRule, options?: CreateOptions): Promise<Rule>;
  /**
   * Changes the given members.
   *
   * @throws {AppError} VALIDATION_ERROR naming the field
   */
  update(user: CurrentUser, ruleId: string, input: UpdateRule, precondition?: Precondition): Promise<Rule>;
  /**
   * Gives the rules of the redirect the priorities 1…n.
   *
   * @param precondition on the version of the redirect
   * @returns the rules in their new order
   * @throws {AppError} VALIDATION_ERROR unless `ruleIds` are exactly the redirect's rules, each once
   */
  reorder(
    user: CurrentUser,
    redirectId: string,
    ruleIds: readonly number[],
    precondition?: Precondition,
  ): Promise<RulesOfRedirect>;
  /** Adds a draft of the same content as the last rule. @throws {AppError} PLAN_LIMIT_REACHED */
  duplicate(user: CurrentUser, ruleId: string, options?: CreateOptions): Promise<Rule>;
  /** Applies a JSON Merge Patch. @throws {AppError} VALIDATION_ERROR naming the field */
  patch(user: CurrentUser, ruleId: string, patch: PatchRule, precondition?: Precondition): Promise<Rule>;
  delete(user: CurrentUser, ruleId: string, precondition?: Precondition): Promise<Rule>;
}

export interface CreateOptions {
  /** Refers to the version of the redirect; for a copy, to that of the copied rule. */
  readonly precondition?: Precondition | undefined;
  /** Stores the answer in the same transaction. */
  readonly keep?: KeepAnswer<Rule> | undefined;
}

/** The rules of a redirect, and the version of the redirect. Each change of the rules increases it. */
export interface RulesOfRedirect {
  readonly rules: readonly Rule[];
  readonly version: number;
}

/** A rule to change, whose redirect is locked. */
interface LockedRule {
  readonly redirect: Redirect;
  readonly rule: Rule;
  readonly places: readonly RulePlace[];
}

export function createRuleService({ database, outbox, redirects }: RuleServiceDeps): RuleService {
  async function requireOwned(userId: string, ruleId: string): Promise<Rule> {
    const rule = await requireRule(database, ruleId);
    await redirects.requireOwned(rule.redirectId, userId);
    return rule;
  }

  async function lockRule(
    tx: Queryable,
    userId: string,
    ruleId: string,
    precondition?: Precondition,
  ): Promise<LockedRule> {
    const { redirectId } = await requireRule(tx, ruleId);
    const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, userId);
    // Read again, now that the lock is held.
    const rule = await requireRule(tx, ruleId);
    requirePrecondition(precondition, rule.version);
    return { redirect, rule, places: await ruleRepository.listPlaces(tx, redirectId) };
  }

  /** Adds a rule to a redirect that is locked. */
  async function insert(
    tx: Queryable,
    user: CurrentUser,
    redirect: Redirect,
    rule: RuleSettings & { readonly priority: number | undefined },
    action: 'rule.created' | 'rule.duplicated',
  ): Promise<Rule> {
    const redirectId = redirect.id;
    const places = await ruleRepository.listPlaces(tx, redirectId);
    requireRoom(user.plan, {
      limit: user.plan.perRedirect.maxRulesPerRedirect,
      used: places.length,
      what: 'rules per redirect',
      has: 'this one has',
    });
    const { priority, moved } = placesForNew(places, rule.priority);
    await ruleRepository.setPriorities(tx, moved);
    const inserted = await ruleRepository.insert(tx, { ...rule, redirectId, priority, createdBy: user.id });
    requireBoundedRules(await ruleRepository.sizeOfRules(tx, redirectId));
    await recordRule(tx, user, redirect, action, { after: inserted, moved: movedPlaces(places, moved) });
    return inserted;
  }

  /** @param inputOf returns the update for the locked rule */
  async function change(
    user: CurrentUser,
    ruleId: string,
    inputOf: (rule: Rule) => UpdateRule,
    precondition: Precondition | undefined,
  ): Promise<Rule> {
    const known = await requireOwned(user.id, ruleId);
    // Parsing takes time, so it precedes the locks. A patch is parsed again if the rule changes before the lock.
    let parsed = { of: known, input: inputOf(known), changes: await parseRuleChanges(inputOf(known)) };
    return outbox.commit(async (tx, record) => {
      if (mayCloseLoop(parsed.changes)) await lockLoopGraph(tx);
      const locked = await lockRule(tx, user.id, ruleId, precondition);
      const { redirect, rule } = locked;
      if (rule.version !== parsed.of.version) {
        parsed = { of: rule, input: inputOf(rule), changes: await parseRuleChanges(inputOf(rule)) };
      }
      const { input, changes } = parsed;
      requireConsistent({ ...rule, ...changes }, changes);
      const { priority } = input;
      return redirects.keepExamples(tx, user, redirect, async () => {
        const updated = await write(tx, user, locked, changes, priority);
        recordIfServed(record, redirect, rule, updated);
        return updated;
      });
    });
  }

  /** Writes a changed rule, and moves it to another priority if one is given. */
  async function write(
    tx: Queryable,
    user: CurrentUser,
    { redirect, rule, places }: LockedRule,
    changes: Partial<RuleSettings>,
    priority: number | undefined,
  ): Promise<Rule> {
    const settings = { ...rule, ...changes };
    const moves = priority !== undefined && priority !== rule.priority;
    const placesAfter = moves ? placesAfterMove(places, rule.id, priority) : [];
    await ruleRepository.setPriorities(tx, placesAfter);
    const updated = await ruleRepository.update(tx, rule.id, settings);
    if (decidesAnew(updated, rule)) await requireNoLoopByRule(tx, updated);
    if (isLarger(settings, rule)) requireBoundedRules(await ruleRepository.sizeOfRules(tx, rule.redirectId));
    await announceRules(tx, user.id, 'updated', [updated]);
    await recordRule(tx, user, redirect, 'rule.updated', {
      before: rule,
      after: updated,
      moved: movedPlaces(places, placesAfter),
    });
    return updated;
  }

  return {
    async list(userId, redirectId) {
      // Read first: if a change follows, the client gets an older version and cannot overwrite it by mistake.
      const { version } = await redirects.requireOwned(redirectId, userId);
      return { rules: await ruleRepository.listOfRedirect(database, redirectId), version };
    },

    get: requireOwned,

    async create(user, redirectId, input, { precondition, keep } = {}) {
      await redirects.requireOwned(redirectId, user.id);
      const settings = await parseNewRule(input);
      return outbox.commit(async (tx, record) => {
        // Before the lock of the redirect, in the order of other changes of redirects.
        if (settings.status === 'active') await lockLoopGraph(tx);
        const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, user.id);
        requirePrecondition(precondition, redirect.version);
        const placed = { ...settings, priority: input.priority };
        const rule = await redirects.keepExamples(tx, user, redirect, async () => {
          const inserted = await insert(tx, user, redirect, placed, 'rule.created');
          if (inserted.status === 'active') await requireNoLoopByRule(tx, inserted);
          return inserted;
        });
        recordIfServed(record, redirect, rule);
        await announceRules(tx, user.id, 'created', [rule]);
        await keep?.(tx, rule);
        return rule;
      });
    },

    update: (user, ruleId, input, precondition) => change(user, ruleId, () => input, precondition),

    patch: (user, ruleId, patch, precondition) =>
      change(user, ruleId, (rule) => updateOfPatch(rule, patch), precondition),

    reorder: (user, redirectId, ruleIds, precondition) =>
      outbox.commit(async (tx, record) => {
        const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, user.id);
        requirePrecondition(precondition, redirect.version);
        const before = await ruleRepository.listPlaces(tx, redirectId);
        requireSameRules(before, ruleIds);
        const places = placesInOrder(ruleIds);
        await redirects.keepExamples(tx, user, redirect, () => ruleRepository.setPriorities(tx, places));
        const rules = await ruleRepository.listOfRedirect(tx, redirectId);
        const priorities = new Map(before.map(({ id, priority }) => [id, priority]));
        const moved = rules.filter(({ id, priority }) => priorities.get(id) !== priority);
        await announceRules(tx, user.id, 'updated', moved);
        recordIfServed(record, redirect, ...rules);
        await recordRule(tx, user, redirect, 'rule.reordered', { moved: movedPlaces(before, places) });
        return { rules, version: redirect.version + 1 };
      }),

    duplicate: (user, ruleId, { precondition, keep } = {}) =>
      outbox.commit(async (tx) => {
        const { redirect, rule } = await lockRule(tx, user.id, ruleId, precondition);
        const copy = { ...rule, name: copyName(rule.name), status: 'draft', priority: undefined } as const;
        const inserted = await insert(tx, user, redirect, copy, 'rule.duplicated');
        await announceRules(tx, user.id, 'created', [inserted]);
        await keep?.(tx, inserted);
        return inserted;
      }),

    delete: (user, ruleId, precondition) =>
      outbox.commit(async (tx, record) => {
        const { redirect, rule, places } = await lockRule(tx, user.id, ruleId, precondition);
        await redirects.keepExamples(tx, user, redirect, () => ruleRepository.deleteMany(tx, [rule.id]));
        const placesAfter = placesAfterDelete(places, rule.id);
        await ruleRepository.setPriorities(tx, placesAfter);
        recordIfServed(record, redirect, rule);
        await announceRules(tx, user.id, 'deleted', [rule]);
        const moved = movedPlaces(places, placesAfter);
        await recordRule(tx, user, redirect, 'rule.deleted', { before: rule, moved });
        return rule;
      }),
  };
}

/** Returns whether a change can alter the destination of visitors. */
function mayCloseLoop({ status, action, ...changes }: Partial<RuleSettings>): boolean {
  return (
    status === 'active' || action !== undefined || DECIDING.some((member) => changes[member] !== undefined)
  );
}

const DECIDING = ['conditions', 'conditionLogic', 'startDate', 'endDate'] as const;

/**
 * Finds a rule by the text of its id. The text may be invalid.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function requireRule(source: Queryable, ruleId: string): Promise<Rule> {
  const id = /^[1-9]\d*$/.test(ruleId) ? Number(ruleId) : Number.NaN;
  const rule = Number.isSafeInteger(id) ? await ruleRepository.findById(source, id) : undefined;
  if (rule === undefined) throw new AppError('NOT_FOUND', { message: 'There is no rule with this id.' });
  return rule;
}

const SUFFIX = ' (copy)';

/** Returns the name of a rule's copy. A long name is cut to the maximum length of names. */
function copyName(name: string): string {
  // Cut by code points, because limits count them. A character of two units stays whole.
  const kept = [...name].slice(0, MAX_NAME_LENGTH - SUFFIX.length).join('');
  return kept.trimEnd() + SUFFIX;
}
