import { isDeepStrictEqual } from 'node:util';
import { AppError, inPart } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { type ReverseDelta, rulesDelta } from '../history/public.js';
import { requireRoom } from '../plans/public.js';
import { findLoopByRules, type Redirect } from '../redirects/public.js';
import { parseNewRule } from './parse-rule.js';
import type { Rule, RuleSettings } from './rule.js';
import { announceRules } from './rule-announcements.js';
import { decidesAnew, recordIfServed } from './rule-decisions.js';
import { ruleState } from './rule-history.js';
import { prioritiesOfAll } from './rule-priorities.js';
import { ruleRepository } from './rule-repository.js';
import type { CreateRule } from './rule-schema.js';
import { requireBoundedRules } from './rule-size.js';

/** A rule in a received list. With an id it is a rule of the redirect, otherwise a new one. */
export interface GivenRule extends CreateRule {
  readonly id?: number;
}

/** A rule in a whole list, checked. */
export interface WholeRule {
  readonly id: number | undefined;
  readonly priority: number | undefined;
  readonly settings: RuleSettings;
}

/** Result of a replacement. */
export interface ReplacedRules {
  /** The rules in the order of evaluation. */
  readonly rules: readonly Rule[];
  readonly created: readonly WrittenRule[];
  /** Changed rules. */
  readonly updated: readonly WrittenRule[];
  readonly deleted: readonly Rule[];
  /** Difference that reverts to the earlier rules. */
  readonly delta: ReverseDelta;
}

interface WrittenRule {
  readonly rule: Rule;
  /** The earlier rule; undefined for a new one. */
  readonly before: Rule | undefined;
  /** Index in the list. */
  readonly index: number;
}

/** Replaces all rules of a redirect, inside a transaction that holds the lock of the redirect. */
export const ruleReplacement = {
  /** Reads a list of rules. @throws {AppError} VALIDATION_ERROR, with the index in the field: `3.action.url` */
  async parse(given: readonly GivenRule[]): Promise<readonly WholeRule[]> {
    const rules: WholeRule[] = [];
    for (const [index, { id, ...rule }] of given.entries()) {
      const settings = await inPart(String(index), () => parseNewRule(rule));
      rules.push({ id, priority: rule.priority, settings });
    }
    return rules;
  },

  /**
   * Writes the rules. Unchanged rules keep their version. `finish` searches loops later, because they depend on the
   * whole redirect.
   *
   * @param mayReturn whether an unknown id is that of a deleted rule, which is restored; otherwise it is refused
   * @throws {AppError} VALIDATION_ERROR with the index in the field, or an empty one for the whole list;
   * PLAN_LIMIT_REACHED
   */
  async write(
    tx: Queryable,
    user: CurrentUser,
    redirectId: string,
    rules: readonly WholeRule[],
    mayReturn: boolean,
  ): Promise<ReplacedRules> {
    const known = new Map(
      (await ruleRepository.listOfRedirect(tx, redirectId)).map((rule) => [rule.id, rule]),
    );
    requireIds(rules, known, mayReturn);
    requireRoomFor(user, rules.length, known.size);
    const kept = new Set(rules.map(({ id }) => id));
    const deleted = [...known.values()].filter(({ id }) => !kept.has(id));
    await ruleRepository.deleteMany(
      tx,
      deleted.map(({ id }) => id),
    );
    const priorities = prioritiesOfAll(rules.map(({ priority }) => priority));
    const places = rules.flatMap(({ id }, index) =>
      id !== undefined && known.has(id) ? [{ id, priority: priorities[index] ?? 0 }] : [],
    );
    await ruleRepository.setPriorities(tx, places);
    const written: WrittenRule[] = [];
    for (const [index, rule] of rules.entries()) {
      const before = known.get(rule.id ?? 0);
      const place = { redirectId, priority: priorities[index] ?? 0, createdBy: user.id };
      written.push({ rule: await writeOne(tx, rule, before, place), before, index });
    }
    const isChanged = ({ rule, before }: WrittenRule) =>
      before !== undefined && (rule.version !== before.version || rule.priority !== before.priority);
    const created = written.filter(({ before }) => before === undefined);
    const updated = written.filter(isChanged);
    if (created.length + updated.length > 0) {
      requireBoundedRules(await ruleRepository.sizeOfRules(tx, redirectId), '');
    }
    const now = await ruleRepository.listOfRedirect(tx, redirectId);
    const delta = rulesDelta([...known.values()].map(ruleState), now.map(ruleState));
    return { rules: now, created, updated, deleted, delta };
  },

  /**
   * Searches loops, records the change for data planes and notifies the owner's endpoints.
   *
   * @throws {AppError} REDIRECT_LOOP with the index in the field
   */
  async finish(
    tx: Queryable,
    record: RecordChange,
    redirect: Redirect,
    { rules, created, updated, deleted }: ReplacedRules,
  ): Promise<void> {
    await requireNoLoops(tx, [...created, ...updated].filter(isNewDecision));
    const before = [...updated.flatMap((one) => one.before ?? []), ...deleted];
    const now = new Map(rules.map((rule) => [rule.id, rule]));
    const asWritten = (list: readonly WrittenRule[]) => list.flatMap(({ rule }) => now.get(rule.id) ?? []);
    recordIfServed(record, redirect, ...before, ...asWritten(created), ...asWritten(updated));
    await announceRules(tx, redirect.userId, 'deleted', deleted);
    await announceRules(tx, redirect.userId, 'created', asWritten(created));
    await announceRules(tx, redirect.userId, 'updated', asWritten(updated));
  },
};

export type RuleReplacement = typeof ruleReplacement;

/** Writes one rule, unless it is unchanged. */
async function writeOne(
  tx: Queryable,
  { id, settings }: WholeRule,
  before: Rule | undefined,
  place: { readonly redirectId: string; readonly priority: number; readonly createdBy: string },
): Promise<Rule> {
  if (before === undefined) return ruleRepository.insert(tx, { ...settings, ...place, id });
  if (isSame(before, settings)) return { ...before, priority: place.priority };
  return ruleRepository.update(tx, before.id, settings);
}

/** Returns whether the replacement can close a loop. The transaction then needs the lock of the graph. */
export function mayCloseLoops({ created, updated }: ReplacedRules): boolean {
  return [...created, ...updated].some(isNewDecision);
}

function isNewDecision({ rule, before }: WrittenRule): boolean {
  return decidesAnew(rule, before);
}

async function requireNoLoops(tx: Queryable, written: readonly WrittenRule[]): Promise<void> {
  const found = await findLoopByRules(
    tx,
    written.map(({ rule }) => rule),
  );
  if (found === undefined) return;
  const index = written.find(({ rule }) => rule.id === found.rule.id)?.index ?? 0;
  await inPart(String(index), () => {
    throw found.error;
  });
}

function isSame(before: Rule, settings: RuleSettings): boolean {
  return Object.entries(settings).every(([name, value]) =>
    isDeepStrictEqual(value, before[name as keyof RuleSettings]),
  );
}

function requireIds(rules: readonly WholeRule[], known: ReadonlyMap<number, Rule>, mayReturn: boolean): void {
  const seen = new Set<number>();
  for (const [index, { id }] of rules.entries()) {
    if (id === undefined) continue;
    const field = `${index}.id`;
    if (seen.has(id)) {
      throw new AppError('VALIDATION_ERROR', { field, message: `The rule ${id} is in the list twice.` });
    }
    seen.add(id);
    if (mayReturn || known.has(id)) continue;
    const message = `The redirect has no rule ${id}. Leave id out to create a new rule.`;
    throw new AppError('VALIDATION_ERROR', { field, message });
  }
}

/** Checks the limit of the plan. A list beyond the limit may keep its length. */
function requireRoomFor({ plan }: CurrentUser, count: number, before: number): void {
  if (count <= before) return;
  const limit = plan.perRedirect.maxRulesPerRedirect;
  requireRoom(plan, {
    limit,
    used: count - 1,
    what: 'rules per redirect',
    has: 'the others of the list are',
  });
}
