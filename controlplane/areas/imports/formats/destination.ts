import { MAX_DESTINATION_LENGTH } from '../../../../shared/paths/path-entry.js';
import type { Refusal } from './outcome.js';

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

/** Writes a destination with the placeholders of an entry. Groups that did not take part are empty. */
export function fillDestination(
  parts: readonly DestinationPart[],
  { path, captures }: Filling,
): string | Refusal {
  let filled = '';
  for (const part of parts) {
    const isLiteral = 'text' in part;
    const text = isLiteral ? literalDestination(part.text, filled) : textOf(part, path, captures);
    if (OWN_NAME.test(filled) && CONTINUES_NAME.test(text)) {
      return {
        refusal:
          'A placeholder cannot be followed by a letter, a digit or "_". Put another character between them.',
        field: 'destination',
      };
    }
    filled += text;
    if (filled.length > MAX_DESTINATION_LENGTH) {
      return {
        refusal: `destination must have at most ${MAX_DESTINATION_LENGTH} characters.`,
        field: 'destination',
      };
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

/** Placeholders of destinations, where they can be mistaken for text. */
const PLACEHOLDER = /[*{}]|(?<=\/):(?=[A-Za-z])|:(?=p[0-9])/g;
const ESCAPES: Readonly<Record<string, string>> = { '*': '%2A', '{': '%7B', '}': '%7D', ':': '%3A' };

/**
 * Writes text so that nothing in it is taken as a placeholder.
 *
 * @param before text that it follows
 */
export function literalDestination(text: string, before = ''): string {
  const isAfterSlash = before.endsWith('/') && /^:[A-Za-z]/.test(text);
  const escaped = text.replace(PLACEHOLDER, (found) => ESCAPES[found] ?? found);
  return isAfterSlash ? `%3A${escaped.slice(1)}` : escaped;
}
