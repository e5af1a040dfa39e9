import { mergePatch } from '../../http/merge-patch.js';
import { DEFAULTS } from './parse-rule.js';
import type { Rule } from './rule.js';
import { ACTION_MEMBERS } from './rule-action-schema.js';
import type { UpdateRule } from './rule-schema.js';

/** A JSON Merge Patch of a rule. */
export interface PatchRule {
  readonly patch: Readonly<Record<string, unknown>>;
  /** Checks the members after the patch. @throws {AppError} VALIDATION_ERROR naming the field */
  requireUpdate(input: object): UpdateRule;
}

/** Returns the update for a patch of a rule: the whole new value of each member in the patch. */
export function updateOfPatch(rule: Rule, { patch, requireUpdate }: PatchRule): UpdateRule {
  const merged = mergePatch({ action: patchedAction(rule, patch.action), metadata: rule.metadata }, patch);
  const input = Object.entries(patch).map(([name, value]) => [
    name,
    value === null ? (DEFAULTS[name as keyof typeof DEFAULTS] ?? null) : merged[name],
  ]);
  return requireUpdate(Object.fromEntries(input));
}

/**
 * Returns the action into which a patch is merged. A patch to another type drops the members that this type does not
 * have.
 */
function patchedAction({ action }: Rule, patch: unknown): object {
  const { type } = Object(patch) as { type?: unknown };
  const known = type === action.type ? undefined : ACTION_MEMBERS.get(type);
  if (known === undefined) return action;
  return Object.fromEntries(Object.entries(action).filter(([name]) => known.has(name)));
}
