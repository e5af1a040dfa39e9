/**
 * Hits and counters name the rule that decided by its id. Entries of paths use the same member with ids from here on;
 * no rule has an id as large.
 */
export const ENTRY_IDS_FROM = 2 ** 40;

/** Returns the id of an entry in hits and counters. */
export function hitIdOf(entryId: number): number {
  return ENTRY_IDS_FROM + entryId;
}

/** Returns the id of the entry that a hit or counter names; undefined for a rule, and for none. */
export function entryIdOf(ruleId: number): number | undefined {
  return ruleId > ENTRY_IDS_FROM ? ruleId - ENTRY_IDS_FROM : undefined;
}
