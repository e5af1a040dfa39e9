/** Reasons for which a fact of a visit is missing. */
export const GAP_REASONS = ['not_recorded', 'shortened', 'masked', 'not_drawn', 'refused'] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** Fact of a visit that hits do not hold. */
export interface Gap {
  /** Attribute of conditions, or `draw`, `cookie`, `visitor`, `host`, `request`. */
  readonly attribute: string;
  readonly reason: GapReason;
  /** Set when the visit has a value, though it is not known. */
  readonly isPresent?: true;
}
