import { isIP } from 'node:net';
import { readUrl } from '../../../shared/process/read-url.js';
import { zoneOf } from '../domains/public.js';
import { bareHost } from '../webhooks/public.js';

/** Names that no public server has (RFC 2606, RFC 6761). */
const RESERVED = /(?:^|\.)(?:example|invalid|test)$/i;

/** A destination as it is requested. */
export interface CheckedUrl {
  /** Absolute URL without a fragment, which is never sent. */
  readonly url: string;
  /** See `siteOf`. */
  readonly site: string;
}

/** Returns the URL to request for a destination; undefined for one that cannot be requested. */
export function checkedUrl(destination: string): CheckedUrl | undefined {
  const url = readUrl(destination);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '') return undefined;
  if (url.hostname === '' || RESERVED.test(bareHost(url.hostname))) return undefined;
  url.hash = '';
  return { url: url.href, site: siteOf(url) };
}

/** Returns the registrable domain of a URL, or its address. Requests to all hosts of a site are spread over time. */
export function siteOf({ hostname }: URL): string {
  const host = bareHost(hostname);
  return isIP(host) === 0 ? zoneOf(host) : host;
}
