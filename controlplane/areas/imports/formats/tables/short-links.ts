import { literalDestination } from '../destination.js';
import { isAbsoluteUrl, readAddress } from '../host.js';
import type { ImportFormat } from '../import-format.js';
import { type Outcome, readings, refusal, taken } from '../outcome.js';
import { literalSource } from '../regex/regex-paths.js';
import { type Cells, cellOf, tableFormat } from './table-format.js';

/** `source` is the column of the YOURLS plugin "Import Export", with slashes around the keyword. */
const CODES = ['shortcode', 'keyword', 'slug', 'backhalf', 'alias', 'source'];
const LINKS = [
  'customlink',
  'custombitlinks',
  'custombitlink',
  'shorturl',
  'shortlink',
  'link',
  'bitlink',
  'id',
];
const DESTINATIONS = ['longurl', 'url', 'destinationurl', 'destination', 'originalurl', 'target'];
const TITLES = ['title', 'name'];
/** Hosts of Bitly itself, which cannot move. */
const FOREIGN_HOSTS = new Set(['bit.ly', 'bitly.com', 'j.mp', 'bitly.is']);
const MAX_NOTE_LENGTH = 500;
/** Maximum short links of one record. */
const MAX_LINKS = 20;

interface Shortener {
  readonly name: string;
  readonly statusCode: 301 | 302;
  readonly queryForwarding: boolean | null;
  /** Columns of a file without a header. */
  readonly positions?: readonly string[];
}

function shortener({ name, positions, ...redirect }: Shortener): ImportFormat {
  const hasOne = (names: readonly string[], known: readonly string[]) =>
    names.some((one) => known.includes(one));
  return tableFormat(name, {
    ...(positions !== undefined && { positions }),
    expected: `one of ${[...CODES, ...LINKS].join(', ')}, and one of ${DESTINATIONS.join(', ')}`,
    isHeader: (names) => hasOne(names, [...CODES, ...LINKS]) && hasOne(names, DESTINATIONS),
    read: (cells) => readLink(cells, redirect),
  });
}

/** CSV of Shlink's web client. Shlink answers 302. */
export const shlink = shortener({ name: 'shlink', statusCode: 302, queryForwarding: null });
/** CSV of YOURLS' table of URLs, with a header or without. YOURLS answers 301 and drops the query. */
export const yourls = shortener({
  name: 'yourls',
  statusCode: 301,
  queryForwarding: false,
  positions: ['keyword', 'url', 'title', 'timestamp', 'ip', 'clicks'],
});
/** CSV of Bitly's links. Bitly answers 301. */
export const bitly = shortener({ name: 'bitly', statusCode: 301, queryForwarding: null });

function readLink(cells: Cells, common: Pick<Shortener, 'statusCode' | 'queryForwarding'>): Outcome[] {
  const destination = cellOf(cells, DESTINATIONS);
  if (!isAbsoluteUrl(destination)) {
    throw refusal('The destination must be an absolute http or https URL.', 'destination');
  }
  const note = titleOf(cells).slice(0, MAX_NOTE_LENGTH);
  const redirect = { ...common, destination: literalDestination(destination), note };
  const code = cellOf(cells, CODES);
  const links = LINKS.map((name) => linksIn(cellOf(cells, [name]))).find(({ length }) => length > 0) ?? [];
  if (code !== '') {
    const host = hostOf(cells, links);
    return [taken({ ...redirect, host, path: literalSource(`/${code.replace(/^\/|\/$/g, '')}`) })];
  }
  if (links.length === 0) throw refusal('The record has no short link.', 'path');
  if (links.length > MAX_LINKS) {
    throw refusal(`A record can have at most ${MAX_LINKS} short links.`, 'path');
  }
  return links.flatMap((link) =>
    readings(() => {
      const { host, path } = requireLink(link);
      return [taken({ ...redirect, host, path: literalSource(path) })];
    }),
  );
}

/** Databases write these for a missing value. */
const NO_VALUE = /^(?:NULL|\\N)$/;

function titleOf(cells: Cells): string {
  const title = cellOf(cells, TITLES);
  return NO_VALUE.test(title) ? '' : title;
}

/** Returns the host of a record with a code, from its column or its link. */
function hostOf(cells: Cells, [link = '']: readonly string[]): string | null {
  const domain = cellOf(cells, ['domain', 'host']);
  return domain === '' ? (linkOf(link)?.host ?? null) : requireLink(domain).host;
}

/** Returns the links in a cell: several with separators, or a list in brackets, as clients of Bitly's API write it. */
function linksIn(cell: string): string[] {
  return cell.split(/[\s,|[\]"']+/).filter((one) => one !== '');
}

function requireLink(text: string) {
  const link = linkOf(text);
  if (link !== undefined) return link;
  throw refusal(`"${text.slice(0, 100)}" must be a short link like "go.example/code".`, 'path');
}

function linkOf(text: string): { readonly host: string | null; readonly path: string } | undefined {
  const address = readAddress(text);
  if (address === undefined || address.hasPort || address.query !== undefined) return undefined;
  return { host: FOREIGN_HOSTS.has(address.host) ? null : address.host, path: address.path };
}
