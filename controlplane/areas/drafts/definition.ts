import { inPart } from '../../errors/app-error.js';
import type { VersionState } from '../history/public.js';
import { type FormerTable, type GivenTable, type NewTable, tableOf } from '../paths/public.js';
import {
  type ChangeSettings,
  changedSettings,
  type PatchRedirect,
  patchedSettings,
  settingsAfter,
  type UpdateRedirect,
} from '../redirects/public.js';
import type { GivenRule, ReplacedRules, Rule, RuleReplacement, WholeRule } from '../rules/public.js';

/** New settings, rules and paths of a redirect. Absent parts do not change. */
export interface Definition {
  /** JSON Merge Patch of the settings. */
  readonly redirect?: PatchRedirect;
  /** All rules. */
  readonly rules?: readonly GivenRule[];
  /** All paths, and the changed options. */
  readonly paths?: NewTable;
}

/** A definition that is ready to be applied. */
export interface PreparedDefinition {
  readonly settingsOf: ChangeSettings;
  readonly rules: readonly WholeRule[] | undefined;
  /** Whether unknown ids are those of deleted rules, which are restored. */
  readonly mayReturn: boolean;
  readonly paths: GivenTable | FormerTable | undefined;
}

/**
 * Reads a definition that has passed its schema. Reading regexes takes time, so it comes before the locks.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export async function prepareDefinition(
  { redirect = {}, rules, paths }: Definition,
  { parse }: Pick<RuleReplacement, 'parse'>,
): Promise<PreparedDefinition> {
  return {
    settingsOf: settingsAfter(redirect, patchedSettings),
    rules: rules && (await inPart('rules', () => parse(rules))),
    mayReturn: false,
    paths: paths && tableOf(paths),
  };
}

/**
 * Reads the state that a redirect had before. Deleted rules and entries get their ids back.
 *
 * @throws {AppError} VALIDATION_ERROR naming a field that is no longer valid
 */
export async function prepareState(
  { redirect, rules, paths }: VersionState,
  { parse }: Pick<RuleReplacement, 'parse'>,
): Promise<PreparedDefinition> {
  const { isVerified: _, isDeleted: __, ...settings } = redirect;
  return {
    settingsOf: settingsAfter(settings as UpdateRedirect, changedSettings),
    rules: await inPart('rules', () => parse(rules as readonly GivenRule[])),
    mayReturn: true,
    paths: { options: paths.options, former: paths.entries },
  };
}

/** First id that no stored rule can have. New rules get the same ids each time, so tests are repeatable. */
const FIRST_DRAFTED_ID = 2 ** 31;

/** Returns the rules of a trial. New ones have ids that no stored rule can have. */
export function draftedRules({ rules, created }: ReplacedRules): Rule[] {
  const fresh = new Set(created.map(({ rule }) => rule.id));
  return rules.map((rule, index) => (fresh.has(rule.id) ? { ...rule, id: FIRST_DRAFTED_ID + index } : rule));
}

/** Returns null for a new rule. */
export function shownId(id: number): number | null {
  return id < FIRST_DRAFTED_ID ? id : null;
}
