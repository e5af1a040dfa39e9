const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' });
const TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const MAX_RELATIVE_MS = 30 * 86_400_000;

export const dateText = (iso: string) => DATE.format(new Date(iso));
export const timeText = (iso: string) => TIME.format(new Date(iso));

/** A time in relation to now, such as “3 hours ago”; a date where it is long ago. */
export function agoText(iso: string, nowMs = Date.now()): string {
  const ms = new Date(iso).getTime() - nowMs;
  if (Math.abs(ms) > MAX_RELATIVE_MS) return dateText(iso);
  for (const [unit, unitMs] of UNITS) {
    if (Math.abs(ms) >= unitMs) return RELATIVE.format(Math.round(ms / unitMs), unit);
  }
  return 'just now';
}
