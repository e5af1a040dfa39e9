import path from 'node:path';
import type { Import, Operations } from '../client/src/index.js';

export type ImportQuery = NonNullable<Operations['POST /imports']['query']>;
export type ImportFormat = Import['format'];

/** Every format. The type makes the compiler reject a list that lacks one. */
const BY_FORMAT: Readonly<Record<ImportFormat, true>> = {
  csv: true,
  ndjson: true,
  json: true,
  nginx: true,
  htaccess: true,
  netlify: true,
  cloudflare: true,
  vercel: true,
  caddy: true,
  shlink: true,
  yourls: true,
  bitly: true,
  wordpress: true,
};
export const FORMATS = Object.keys(BY_FORMAT);

export function isFormat(text: string): text is ImportFormat {
  return Object.hasOwn(BY_FORMAT, text);
}

/** Names of files that tell their format. */
const NAMES: ReadonlyArray<readonly [RegExp, ImportFormat]> = [
  [/\.csv$/i, 'csv'],
  [/\.(ndjson|jsonl)$/i, 'ndjson'],
  [/^_redirects$/, 'netlify'],
  [/^\.?htaccess$/i, 'htaccess'],
  [/^vercel\.json$/i, 'vercel'],
  [/caddyfile$/i, 'caddy'],
  [/\.conf$/i, 'nginx'],
];

export function formatOfFile(file: string): ImportFormat | undefined {
  return NAMES.find(([pattern]) => pattern.test(path.basename(file)))?.[1];
}
