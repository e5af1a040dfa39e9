/**
 * First id of path entries in hits and counters. These name the deciding rule by its id, and use the same member for
 * path entries. No rule has an id this large.
 */
export const ENTRY_IDS_FROM = 2 ** 40;

/**
 * `entry_id` of hits that a rule decided and for whose path the table had no entry. Hits from releases without this
 * value, and hits for which no table was consulted, have 0.
 */
export const NO_ENTRY = ENTRY_IDS_FROM;

/** Returns the id of an entry in hits and counters. */
export function hitIdOf(entryId: number): number {
  return ENTRY_IDS_FROM + entryId;
}

/** Returns the id of the entry that a hit or counter names; undefined for a rule or for 0. */
export function entryIdOf(ruleId: number): number | undefined {
  return ruleId > ENTRY_IDS_FROM ? ruleId - ENTRY_IDS_FROM : undefined;
}

/**
 * Returns the id of the entry that gave the answer of a hit, alone or together with a rule. Returns undefined if no
 * entry did.
 */
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
