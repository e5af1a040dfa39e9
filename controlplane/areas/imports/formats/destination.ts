import { MAX_DESTINATION_LENGTH } from '../../../../shared/paths/path-entry.js';
import { isAbsoluteUrl } from './host.js';
import { refusal } from './outcome.js';

/** Part of a destination of another system. */
export type DestinationPart =
  | { readonly text: string }
  /** Number or name of a group. */
  | { readonly capture: string }
  /** Path of the request, with its first slash. */
  | { readonly path: true }
  /** Value of a query parameter of the request. */
  | { readonly parameter: string };

export interface Filling {
  /** Pattern of the entry. */
  readonly path: string;
  /** Texts of groups with placeholders of the pattern. */
  readonly captures: ReadonlyMap<string, string>;
}

const OWN_NAME = /:p[0-9]+$/;
const CONTINUES_NAME = /^[A-Za-z0-9_]/;

/**
 * Writes a destination with the placeholders of an entry. Groups that did not match are empty.
 *
 * @throws {Unread} for a part that no entry can have
 */
export function fillDestination(parts: readonly DestinationPart[], { path, captures }: Filling): string {
  let filled = '';
  for (const part of parts) {
    const text = 'text' in part ? literalDestination(part.text, filled) : textOf(part, path, captures);
    if (OWN_NAME.test(filled) && CONTINUES_NAME.test(text)) {
      throw refusal(
        'A placeholder cannot be followed by a letter, a digit or "_". Put another character between them.',
        'destination',
      );
    }
    filled += text;
    if (filled.length > MAX_DESTINATION_LENGTH) {
      throw refusal(`destination must have at most ${MAX_DESTINATION_LENGTH} characters.`, 'destination');
    }
  }
  return filled;
}

function textOf(
  part: Exclude<DestinationPart, { text: string }>,
  path: string,
  captures: ReadonlyMap<string, string>,
): string {
  if ('capture' in part) return captures.get(part.capture) ?? '';
  return 'path' in part ? path : `{query.${part.parameter}}`;
}

/** @throws {Unread} for a destination that is neither a URL nor a path, or that is the path of the entry */
export function requireElsewhere(destination: string, path: string): void {
  if (!isAbsoluteUrl(destination) && !destination.startsWith('/')) {
    throw refusal('destination must be an http or https URL, or a path that starts with "/".', 'destination');
  }
  if (destination === path) {
    throw refusal(
      'The redirect leads to the same address, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
      'destination',
    );
  }
}

/** Text that would be read as a placeholder of a destination. */
const PLACEHOLDER = /[*{}]|(?<=\/):(?=[A-Za-z])|:(?=p[0-9])/g;
const ESCAPES: Readonly<Record<string, string>> = { '*': '%2A', '{': '%7B', '}': '%7D', ':': '%3A' };

/**
 * Escapes text so that no part of it is read as a placeholder.
 *
 * @param before text that it follows
 */
export function literalDestination(text: string, before = ''): string {
  const isAfterSlash = before.endsWith('/') && /^:[A-Za-z]/.test(text);
  const escaped = text.replace(PLACEHOLDER, (found) => ESCAPES[found] ?? found);
  return isAfterSlash ? `%3A${escaped.slice(1)}` : escaped;
}
