import { AppError } from '../../errors/app-error.js';
import type { RuleSettings } from './rule.js';

/** Maximum size of a rule's texts. It bounds the memory of a rule on data planes. */
const MAX_RULE_BYTES = 256 * 1024;

/**
 * Maximum total size of a redirect's rules. A redirect reaches data planes in one piece with all its rules. It must
 * stay well below the size of the change log in Redis (16 MiB), or each change would need a snapshot.
 */
export const MAX_BYTES_OF_REDIRECT = 4 * 1024 * 1024;

/** Fixed size of each rule: ids, times, names of members. */
export const BYTES_BESIDE_CONTENT = 256;

/** Maximum cost of rules for a visitor: this many tests of ordinary texts take some milliseconds at worst. */
export const MAX_CONDITIONS_OF_REDIRECT = 10_000;

type Content = Pick<RuleSettings, 'name' | 'description' | 'conditions' | 'action' | 'metadata'>;

/** Total size of a redirect's rules. */
export interface RulesSize {
  readonly conditions: number;
  readonly bytes: number;
}

/** @throws {AppError} VALIDATION_ERROR naming `conditions` when one rule alone is too large */
export function requireBoundedRule(rule: Content): void {
  const bytes = contentBytes(rule);
  if (bytes <= MAX_RULE_BYTES) return;
  throw tooLarge(
    `A whole rule must be at most ${MAX_RULE_BYTES} bytes as JSON and this one has ${bytes}; give it fewer or shorter conditions.`,
  );
}

/** @throws {AppError} VALIDATION_ERROR naming `field` when the rules of a redirect are too large together */
export function requireBoundedRules({ conditions, bytes }: RulesSize, field = 'conditions'): void {
  if (conditions > MAX_CONDITIONS_OF_REDIRECT) {
    throw tooLarge(
      `The rules of a redirect may have at most ${MAX_CONDITIONS_OF_REDIRECT} conditions together and these would be ${conditions}; one condition with \`in\` or \`regex\` can stand for many.`,
      field,
    );
  }
  if (bytes <= MAX_BYTES_OF_REDIRECT) return;
  throw tooLarge(
    `The rules of a redirect may have at most ${MAX_BYTES_OF_REDIRECT} bytes together and these would have ${bytes}; shorten or delete some of them.`,
    field,
  );
}

/** Returns whether a changed rule needs more room than before. */
export function isLarger(changed: Content, before: Content): boolean {
  return changed.conditions.length > before.conditions.length || contentBytes(changed) > contentBytes(before);
}

function contentBytes({ name, description, conditions, action, metadata }: Content): number {
  return Buffer.byteLength(JSON.stringify({ name, description, conditions, action, metadata }));
}

function tooLarge(message: string, field = 'conditions'): AppError {
  return new AppError('VALIDATION_ERROR', { field, message });
}
