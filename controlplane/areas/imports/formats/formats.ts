import { htaccess } from './apache/htaccess.js';
import { caddy } from './caddy/caddy.js';
import type { ImportFormat } from './import-format.js';
import { netlify } from './netlify.js';
import { nginx } from './nginx/nginx.js';
import { cloudflare } from './tables/cloudflare.js';
import { bitly, shlink, yourls } from './tables/short-links.js';
import { wordpress } from './tables/wordpress.js';
import { vercel } from './vercel/vercel.js';

/** Formats of other systems, by name. README.md lists the features that each one keeps. */
export const FORMATS: ReadonlyMap<string, ImportFormat> = new Map(
  [nginx, htaccess, netlify, cloudflare, vercel, caddy, shlink, yourls, bitly, wordpress].map((format) => [
    format.name,
    format,
  ]),
);
