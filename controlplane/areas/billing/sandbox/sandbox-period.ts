import type { Plan } from '../../../plan.js';

const DAY_MS = 24 * 3600 * 1000;
const MONTHS = { month: 1, year: 12 } as const;

/** Adds one interval (UTC). The time of day stays. A month that is too short gives its last day. */
export function oneIntervalLater(date: Date, interval: Plan['pricing']['interval']): Date {
  const later = new Date(date);
  later.setUTCMonth(later.getUTCMonth() + MONTHS[interval]);
  // `Date` would turn 31 January plus one month into 3 March.
  if (later.getUTCDate() !== date.getUTCDate()) later.setUTCDate(0);
  return later;
}

export function daysLater(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}
