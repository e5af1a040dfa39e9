import type { Plan } from '../../../plan.js';

const DAY_MS = 24 * 3600 * 1000;
const MONTHS = { month: 1, year: 12 } as const;

/** One interval later, at the same time of day; the last day of a month that is too short. UTC. */
export function oneIntervalLater(date: Date, interval: Plan['pricing']['interval']): Date {
  const later = new Date(date);
  later.setUTCMonth(later.getUTCMonth() + MONTHS[interval]);
  // 31 January and one month is 3 March to the calendar of the language.
  if (later.getUTCDate() !== date.getUTCDate()) later.setUTCDate(0);
  return later;
}

export function daysLater(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}
