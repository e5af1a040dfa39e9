/** Part of a regular expression. Only what can become a path pattern is told apart. */
export type RegexNode =
  | { readonly kind: 'text'; readonly text: string }
  /** `.` */
  | { readonly kind: 'any' }
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly characters: ReadonlySet<string> }
  | { readonly kind: 'group'; readonly names: readonly CaptureName[]; readonly options: RegexOptions }
  | { readonly kind: 'repeat'; readonly node: RegexNode; readonly times: Times }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' };

export type RegexSequence = readonly RegexNode[];
export type RegexOptions = readonly RegexSequence[];
/** Number of a group, or its name. */
export type CaptureName = string;

export interface Times {
  readonly min: number;
  readonly max: number;
  readonly isLazy: boolean;
}

/** The reason for which an expression cannot become path patterns. Stays within this folder. */
export class UnfitRegex extends Error {}

/** A reader's place in an expression. */
export interface Cursor {
  readonly text: string;
  at: number;
  groups: number;
}

/** Returns whether the text goes on with `expected`, and passes it. */
export function pass(cursor: Cursor, expected: string): boolean {
  if (!cursor.text.startsWith(expected, cursor.at)) return false;
  cursor.at += expected.length;
  return true;
}
