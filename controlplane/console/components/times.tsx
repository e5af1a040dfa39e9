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

/** Returns a time relative to now, such as “3 hours ago”. For a time long ago it returns the date. */
export function agoText(iso: string): string {
  const ms = new Date(iso).getTime() - Date.now();
  if (Math.abs(ms) > MAX_RELATIVE_MS) return dateText(iso);
  for (const [unit, unitMs] of UNITS) {
    if (Math.abs(ms) >= unitMs) return RELATIVE.format(Math.round(ms / unitMs), unit);
  }
  return 'just now';
}

/** A short form of a time, with the exact time as a tooltip. */
export function Time({ at, format = agoText }: { readonly at: string; readonly format?: typeof dateText }) {
  return (
    <time dateTime={at} title={timeText(at)}>
      {format(at)}
    </time>
  );
}

/** Converts a time of the API into the value of an `<input type="datetime-local">`. */
export function localTime(iso: string | null | undefined): string {
  if (!iso) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Converts the value of an `<input type="datetime-local">` into a time of the API. */
export const isoTime = (local: string) => (local === '' ? null : new Date(local).toISOString());
