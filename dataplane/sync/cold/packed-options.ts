import { OPTION_NAMES } from '../../../shared/ruleset/option-fields.js';
import type { RedirectOptions } from '../../../shared/ruleset/redirect-options.js';

/** Options by name. Few redirects have any, so the names of their members stay. */
export type PackedOptions = RedirectOptions;

/** Returns the options of a redirect without its other members. */
export function packOptions(redirect: RedirectOptions): PackedOptions {
  const names = OPTION_NAMES.filter((name) => redirect[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, redirect[name]]));
}

/** Returns whether the last member of a line holds options. */
export function isOptionsPlace(value: unknown): value is PackedOptions {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether options have the names that `packOptions` writes. Their values may still be invalid. */
export function arePackedOptions(options: PackedOptions): boolean {
  const names = Object.keys(options);
  return names.length > 0 && names.every((name) => OPTION_NAMES.some((known) => known === name));
}
