/**
 * Effect of a reported state on the stored state:
 * - `take`: the reported state lies further on; it is taken, however old the report is.
 * - `newer`: taken when the report is newer than what is known.
 * - `keep`: what is known lies further on; the report is late, however new it looks.
 */
export type Verdict = 'take' | 'newer' | 'keep';

/** Known state (row) by reported state (column). */
export type StateTable<State extends string> = Readonly<Record<State, Readonly<Record<State, Verdict>>>>;

/** Decides which of two reports of the same object is newer, by the first difference. */
export interface Recency {
  /** Time of the event, in milliseconds since 1970. */
  readonly occurredAtMs: number;
  /** Tells apart what a provider dates to the same second: where both are possible, the higher came later. */
  readonly progress: readonly number[];
  readonly eventId: string;
}

/**
 * Whether a report is to be taken over what is known.
 *
 * The table's rows and columns are states in the order of a life, `take` above the diagonal of its steps and
 * `keep` below; within one step the newer report counts. So every thing holds the greatest report it has seen in
 * one total order, and the greatest is the same in whatever order, and however often, the reports arrive.
 */
export function supersedes<State extends string>(
  table: StateTable<State>,
  known: { readonly state: State; readonly recency: Recency },
  reported: { readonly state: State; readonly recency: Recency },
): boolean {
  const verdict = table[known.state][reported.state];
  return verdict === 'take' || (verdict === 'newer' && isNewer(reported.recency, known.recency));
}

function isNewer(one: Recency, other: Recency): boolean {
  if (one.occurredAtMs !== other.occurredAtMs) return one.occurredAtMs > other.occurredAtMs;
  const index = one.progress.findIndex((value, place) => value !== other.progress[place]);
  if (index !== -1) return (one.progress[index] ?? 0) > (other.progress[index] ?? 0);
  return one.eventId > other.eventId;
}
