import { indexOrLength } from './index-or-length.js';

/** The campaign in a query. Absent values are empty texts. */
export interface CampaignQuery {
  readonly source: string;
  readonly medium: string;
  readonly campaign: string;
  readonly term: string;
  readonly content: string;
  /** Names of the parameters as sent, each once, sorted and joined by `&`. */
  readonly queryNames: string;
}

/** Maximum UTF-16 units of a decoded value, and of all names together. */
const MAX_LENGTH = 255;
const MAX_NAMES = 20;
const UTM_PARAMS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
/** Prefix of every parameter whose value matters. */
const CAMPAIGN_MARK = 'utm_';
const ESCAPE = /%[0-9a-f]{2}/i;

/**
 * Returns a raw query without the values that do not matter, such as click ids, which are mostly unique. Queries with
 * the same result have the same campaign, so the result can be the key of a cache. (Reading a new campaign takes about
 * 3 µs, several times as long as all other work on a query.)
 */
export function campaignPart(query: string): string {
  if (query === '') return '';
  let kept = '';
  let copiedTo = 0;
  let equals = -1;
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    end = indexOrLength(query, '&', start);
    // Search again only after the last position is passed. A search for each pair would be quadratic if there is none.
    if (equals < start) equals = indexOrLength(query, '=', start);
    if (equals >= end || query.startsWith(CAMPAIGN_MARK, start)) continue;
    kept += query.slice(copiedTo, equals);
    copiedTo = end;
  }
  // Concatenate: a slice would keep the whole query in memory while it is cached.
  return `${kept}${query.slice(copiedTo)}&`;
}

/**
 * Reads a raw query, without its question mark, or its `campaignPart`. The first of repeated parameters counts. Never
 * throws.
 */
export function campaignIn(query: string): CampaignQuery {
  const first = firstValues(query);
  const valueNamed = (name: (typeof UTM_PARAMS)[number]) => decoded(first.get(name) ?? '');
  return {
    source: valueNamed('utm_source'),
    medium: valueNamed('utm_medium'),
    campaign: valueNamed('utm_campaign'),
    term: valueNamed('utm_term'),
    content: valueNamed('utm_content'),
    queryNames: joined([...first.keys()]),
  };
}

/**
 * Returns the first value of each name, both as sent. Omits names beyond the bound, but never those that matter here.
 */
function firstValues(query: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    if (name === '' || values.has(name)) continue;
    if (values.size >= MAX_NAMES && !matters(name)) continue;
    values.set(name, equals === -1 ? '' : pair.slice(equals + 1));
  }
  return values;
}

function matters(name: string): boolean {
  return UTM_PARAMS.some((param) => param === name);
}

/** Joins as many names as fit. Does not cut a name. */
function joined(names: readonly string[]): string {
  let text = '';
  for (const name of names.toSorted()) {
    const longer = text === '' ? name : `${text}&${name}`;
    if (longer.length <= MAX_LENGTH) text = longer;
  }
  return text;
}

/** Decodes a text once, with `+` as a space. Returns a text with an invalid escape, or that is not UTF-8, unchanged. */
function decoded(value: string): string {
  return bounded(value.includes('%') ? unescaped(value) : value.replaceAll('+', ' '));
}

function unescaped(value: string): string {
  if (!ESCAPE.test(value)) return value;
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}

/** Cuts a text to the bound, but never within a surrogate pair. */
function bounded(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const last = text.charCodeAt(MAX_LENGTH - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_LENGTH - 1 : MAX_LENGTH);
}
