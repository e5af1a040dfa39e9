/**
 * Effect of a reported state on the stored state:
 *
 * - `take`: the reported state is later in the life. It replaces the stored one, however old the report is.
 * - `newer`: it replaces the stored one if the report is newer.
 * - `keep`: the stored state is later in the life. The report is late, whatever its time.
 */
export type Verdict = 'take' | 'newer' | 'keep';

/** Stored state (row) by reported state (column). */
export type StateTable<State extends string> = Readonly<Record<State, Readonly<Record<State, Verdict>>>>;

/** State of an object, and what decides which of two reports of it is newer, by the first difference. */
export interface Report<State extends string> {
  readonly state: State;
  /** Time of the event. */
  readonly occurredAt: Date;
  /** Decides between events that the provider dates to the same second: the higher value is later. */
  readonly progress: readonly number[];
  readonly eventId: string;
}

/**
 * Whether a report replaces the stored state.
 *
 * Rows and columns of the table are states in the order of a life: `take` above the diagonal of its steps, `keep`
 * below. Within one step the newer report counts. Each object has the greatest report in one total order. The
 * greatest report does not depend on the order or the number of arrivals.
 *
 * @param known `undefined`: nothing is stored
 */
export function supersedes<State extends string>(
  table: StateTable<State>,
  known: Report<State> | undefined,
  reported: Report<State>,
): boolean {
  if (known === undefined) return true;
  const verdict = table[known.state][reported.state];
  return verdict === 'take' || (verdict === 'newer' && isNewer(reported, known));
}

function isNewer(one: Report<string>, other: Report<string>): boolean {
  const [oneMs, otherMs] = [one.occurredAt.getTime(), other.occurredAt.getTime()];
  if (oneMs !== otherMs) return oneMs > otherMs;
  const index = one.progress.findIndex((value, place) => value !== other.progress[place]);
  if (index !== -1) return (one.progress[index] ?? 0) > (other.progress[index] ?? 0);
  return one.eventId > other.eventId;
}
