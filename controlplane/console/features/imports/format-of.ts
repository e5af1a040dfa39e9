import type { texts } from '../../texts/texts';

export type FormatChoice = keyof typeof texts.imports.dialog.formats;

const BY_NAME: readonly (readonly [RegExp, FormatChoice])[] = [
  [/(?:^|[^a-z])bitly/i, 'bitly'],
  [/(?:^|[^a-z])shlink/i, 'shlink'],
  [/(?:^|[^a-z])yourls/i, 'yourls'],
  [/\.csv$/i, 'csv'],
  [/\.(?:ndjson|jsonl)$/i, 'ndjson'],
  [/htaccess/i, 'htaccess'],
  [/^_redirects/i, 'netlify'],
  [/caddy/i, 'caddy'],
  [/^vercel.*\.json$/i, 'vercel'],
  [/\.conf$/i, 'nginx'],
];

/** Guesses the format of a file by its name; '' where the name does not say it. */
export function formatOf(name: string): FormatChoice {
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}
