/** A report of an object's state, and what decides which of two reports is later, by the first difference. */
export interface Report {
  /** Step of the reported state in the life of the object, which never goes back. */
  readonly step: number;
  /** Time of the event. */
  readonly occurredAt: Date;
  /** Decides between events that the provider dates to the same second: the higher value is later. */
  readonly progress: readonly number[];
  readonly eventId: string;
}

/**
 * Whether a report replaces the stored state. Reports have one total order, and each object has the greatest one. This
 * does not depend on the order or the number of arrivals.
 *
 * @param known `undefined`: nothing is stored
 */
export function supersedes(known: Report | undefined, reported: Report): boolean {
  if (known === undefined) return true;
  const stored = orderOf(known);
  const difference = orderOf(reported)
    .map((value, place) => value - (stored[place] ?? 0))
    .find((one) => one !== 0);
  return difference === undefined ? reported.eventId > known.eventId : difference > 0;
}

function orderOf({ step, occurredAt, progress }: Report): number[] {
  return [step, occurredAt.getTime(), ...progress];
}
