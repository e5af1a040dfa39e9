/**
 * Hits and counters name the rule that decided by its id. Entries of paths use the same member with ids from here on;
 * no rule has an id as large.
 */
export const ENTRY_IDS_FROM = 2 ** 40;

/**
 * `entry_id` of hits beside a rule for whose path the table had no entry. Hits from before it was recorded have 0, as have those
 * for which no table was asked.
 */
export const NO_ENTRY = ENTRY_IDS_FROM;

/** Returns the id of an entry in hits and counters. */
export function hitIdOf(entryId: number): number {
  return ENTRY_IDS_FROM + entryId;
}

/** Returns the id of the entry that a hit or counter names; undefined for a rule, and for none. */
export function entryIdOf(ruleId: number): number | undefined {
  return ruleId > ENTRY_IDS_FROM ? ruleId - ENTRY_IDS_FROM : undefined;
}

/** Returns the id of the entry that gave the answer of a hit, alone or beside a rule; undefined when none did. */
export function entryOfHit({
  rule_id,
  entry_id,
}: {
  readonly rule_id: number;
  readonly entry_id: number;
}): number | undefined {
  const alone = entryIdOf(rule_id);
  return alone ?? (entry_id === 0 || entry_id === NO_ENTRY ? undefined : entry_id);
}
