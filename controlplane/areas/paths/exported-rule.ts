import type { PathOptions } from '../../../shared/paths/path-entry.js';
import { originOf } from '../../../shared/paths/path-location.js';
import { type PathSource, readSource } from '../../../shared/paths/path-source.js';
import type { Redirect } from '../redirects/public.js';
import type { StoredEntry } from './path-table.js';

/** A part of a destination. */
export type DestinationPart =
  | { readonly kind: 'text'; readonly text: string }
  /** The rest of the path after the prefix of the source. */
  | { readonly kind: 'rest' }
  /** The segment that a name matches. */
  | { readonly kind: 'segment'; readonly name: string };

/** An entry in a form that other systems can express. */
export interface ExportedRule {
  readonly entry: StoredEntry;
  readonly source: PathSource;
  /** Parts of the absolute destination; empty with 410. */
  readonly parts: readonly DestinationPart[];
  readonly forwardsQuery: boolean;
}

const PLACEHOLDER = /\*|:([A-Za-z][A-Za-z0-9_]*)|\{(?:query|host)\.[^{}]*\}/g;

/** Returns an entry as a rule, or the reason why other systems cannot express it. */
export function exportedRule(
  entry: StoredEntry,
  redirect: Pick<Redirect, 'toDomain' | 'queryForwarding'>,
): ExportedRule | string {
  const source = readSource(entry.source);
  if ('field' in source) return source.message;
  if (!entry.enabled) return 'the entry is disabled';
  if (!isDecodable(source)) return 'the source has escapes that are no UTF-8, or an escaped slash';
  const destination = entry.destination ?? '';
  if (/\{(?:query|host)\./.test(destination))
    return 'the destination has a placeholder for the query or the host';
  const absolute = destination.startsWith('/') ? originOf(redirect.toDomain) + destination : destination;
  const forwardsQuery =
    entry.queryForwarding === 'inherit' ? redirect.queryForwarding : entry.queryForwarding;
  return { entry, source, parts: partsOf(absolute, source), forwardsQuery };
}

function isDecodable({ segments }: PathSource): boolean {
  try {
    return segments.every((segment) => !decodeURIComponent(segment).includes('/'));
  } catch {
    return false;
  }
}

/** Splits a destination. Placeholders occur only after the authority. */
function partsOf(destination: string, source: PathSource): DestinationPart[] {
  const start = destination.indexOf('://') + '://'.length;
  const length = destination.slice(start).search(/[/?#\\]/);
  const head = length === -1 ? destination.length : start + length;
  const parts: DestinationPart[] = [];
  let text = destination.slice(0, head);
  let done = head;
  for (const match of destination.slice(head).matchAll(PLACEHOLDER)) {
    const [found, name] = match;
    const at = head + match.index;
    if (found !== '*' && (name === undefined || !source.params.has(name))) continue;
    parts.push({ kind: 'text', text: text + destination.slice(done, at) });
    parts.push(name === undefined ? { kind: 'rest' } : { kind: 'segment', name });
    text = '';
    done = at + found.length;
  }
  parts.push({ kind: 'text', text: text + destination.slice(done) });
  return parts.filter((part) => part.kind !== 'text' || part.text !== '');
}

/** Returns whether a rule matches paths with and without a slash at their end. */
export function ignoresSlash({ entry }: ExportedRule, { ignoreTrailingSlash }: PathOptions): boolean {
  return ignoreTrailingSlash && entry.pathEnding === 'inherit';
}

const PREFIX_ENDS = { inherit: '(?:/(.*))?', exact: '/(.*)', below: '/(.+)' } as const;

/** Returns the regular expression of a rule, with a group for each parameter and for `*`, over decoded paths. */
export function expressionOf(
  rule: ExportedRule,
  options: PathOptions,
): { readonly pattern: string; readonly groups: ReadonlyMap<string, number> } {
  const { source, entry } = rule;
  const isOpen = ignoresSlash(rule, options);
  const names = new Map([...source.params].map(([name, segment]) => [segment, name]));
  const groups = new Map<string, number>();
  const segments = withoutLastSlash(source, isOpen).map((segment, at) => {
    const name = names.get(at);
    if (name === undefined) return decodeURIComponent(segment).replace(/[\\^$.*+?()[\]{}|"]/g, '\\$&');
    groups.set(name, groups.size + 1);
    return '([^/]+)';
  });
  const path = segments.map((segment) => `/${segment}`).join('');
  if (!source.isPrefix) return { pattern: `^${path || '/'}${isOpen ? '/?' : ''}$`, groups };
  groups.set('*', groups.size + 1);
  return { pattern: `^${path}${PREFIX_ENDS[entry.pathEnding]}$`, groups };
}

/** Returns the decoded path of an exact source. */
export function pathOf(rule: ExportedRule, options: PathOptions): string {
  const segments = withoutLastSlash(rule.source, ignoresSlash(rule, options));
  return `/${segments.map(decodeURIComponent).join('/')}`;
}

function withoutLastSlash({ segments }: PathSource, isOpen: boolean): readonly string[] {
  return isOpen && segments.length > 1 && segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}
