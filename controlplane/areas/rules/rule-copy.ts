import { MAX_NAME_LENGTH } from './rule-schema.js';

const SUFFIX = ' (copy)';

/** Returns the name of a rule's copy. A long name is cut to the maximum length of names. */
export function copyName(name: string): string {
  // By code points: a character of two units stays whole, and limits count them so.
  const kept = [...name].slice(0, MAX_NAME_LENGTH - SUFFIX.length).join('');
  return kept.trimEnd() + SUFFIX;
}
