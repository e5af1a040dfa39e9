import { refusal } from '../outcome.js';

/** Part of a regular expression. Distinguishes only parts that can become path patterns. */
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

/** Maximum length of an expression. */
const MAX_LENGTH = 1_024;
/** Maximum depth of its groups. */
const MAX_DEPTH = 16;
/** Maximum number of groups that capture. */
const MAX_GROUPS = 32;
const COUNT = /\{(\d{1,4})(,(\d{0,4}))?\}/y;
/** Maximum characters that a range of a set can span. */
const MAX_RANGE = 256;

const DIGITS = [...'0123456789'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: [...DIGITS, ...LETTERS, '_'],
  s: [' ', '\t', '\n', '\r', '\f', '\v'],
};
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v' };

/**
 * Reads a regular expression in the common part of PCRE and RE2. Costs time in proportion to its length.
 *
 * @throws {Unread} for an invalid expression, or for constructs that no path pattern can express
 */
export function readRegex(text: string): RegexOptions {
  if (text.length > MAX_LENGTH) {
    throw refusal(`A regular expression can have at most ${MAX_LENGTH} characters.`);
  }
  const cursor: Cursor = { text, at: 0, groups: 0 };
  const options = readOptions(cursor, 0);
  if (cursor.at < text.length) throw refusal('")" in the regular expression has no "(".');
  return options;
}

function readOptions(cursor: Cursor, depth: number): RegexOptions {
  if (depth > MAX_DEPTH) throw refusal(`Groups can be nested at most ${MAX_DEPTH} levels deep.`);
  const options: RegexSequence[] = [readSequence(cursor, depth)];
  while (pass(cursor, '|')) options.push(readSequence(cursor, depth));
  return options;
}

function readSequence(cursor: Cursor, depth: number): RegexSequence {
  const nodes: RegexNode[] = [];
  while (cursor.at < cursor.text.length && !'|)'.includes(cursor.text[cursor.at] ?? '')) {
    append(nodes, readRepeated(cursor, readAtom(cursor, depth)));
  }
  return nodes;
}

/** Joins literal characters. */
function append(nodes: RegexNode[], node: RegexNode): void {
  const last = nodes.at(-1);
  if (last?.kind === 'text' && node.kind === 'text') {
    nodes[nodes.length - 1] = { kind: 'text', text: last.text + node.text };
  } else nodes.push(node);
}

function readAtom(cursor: Cursor, depth: number): RegexNode {
  const character = String.fromCodePoint(cursor.text.codePointAt(cursor.at) ?? 0);
  cursor.at += character.length;
  if (character === '^') return { kind: 'start' };
  if (character === '$') return { kind: 'end' };
  if (character === '.') return { kind: 'any' };
  if (character === '[') return readSet(cursor);
  if (character === '(') return readGroup(cursor, depth);
  if (character === '\\') return readEscape(cursor);
  if ('*+?'.includes(character)) throw refusal(`"${character}" in the regular expression repeats nothing.`);
  return { kind: 'text', text: character };
}

function readGroup(cursor: Cursor, depth: number): RegexNode {
  const names: string[] = [];
  if (!pass(cursor, '?:')) {
    const named = /\?P?<([A-Za-z]\w*)>/y;
    named.lastIndex = cursor.at;
    const name = named.exec(cursor.text)?.[1];
    if (name !== undefined) {
      cursor.at = named.lastIndex;
      names.push(name);
    } else if (cursor.text[cursor.at] === '?') {
      throw refusal('Groups like "(?=…)", "(?!…)" and "(?i)" have no equivalent in a path pattern.');
    }
    cursor.groups += 1;
    if (cursor.groups > MAX_GROUPS) throw refusal(`An expression can have at most ${MAX_GROUPS} groups.`);
    names.push(String(cursor.groups));
  }
  const options = readOptions(cursor, depth + 1);
  if (!pass(cursor, ')')) throw refusal('"(" in the regular expression is not closed.');
  return { kind: 'group', names, options };
}

function readRepeated(cursor: Cursor, node: RegexNode): RegexNode {
  const bounds = readBounds(cursor);
  if (bounds === undefined) return node;
  const isLazy = pass(cursor, '?');
  if (!isLazy && pass(cursor, '+')) throw refusal('Possessive repetitions cannot be read.');
  if (node.kind === 'start' || node.kind === 'end') throw refusal('An anchor cannot be repeated.');
  if (readBounds(cursor) !== undefined) throw refusal('A repetition of a repetition cannot be read.');
  return { kind: 'repeat', node, times: { ...bounds, isLazy } };
}

function readBounds(cursor: Cursor): { min: number; max: number } | undefined {
  if (pass(cursor, '*')) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (pass(cursor, '+')) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (pass(cursor, '?')) return { min: 0, max: 1 };
  COUNT.lastIndex = cursor.at;
  const found = COUNT.exec(cursor.text);
  if (found === null) return undefined;
  cursor.at = COUNT.lastIndex;
  const min = Number(found[1]);
  if (found[2] === undefined) return { min, max: min };
  return { min, max: found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]) };
}

/** Reads the text after a backslash: a character, or a class like `\d`. */
function readEscape(cursor: Cursor): RegexNode {
  const character = cursor.text[cursor.at] ?? '';
  cursor.at += 1;
  const members = CLASSES[character.toLowerCase()];
  if (members !== undefined) {
    return { kind: 'set', isNegated: character !== character.toLowerCase(), characters: new Set(members) };
  }
  const control = CONTROLS[character];
  if (control !== undefined) return { kind: 'text', text: control };
  if (character === '' || /[A-Za-z0-9]/.test(character)) {
    throw refusal(`"\\${character}" in the regular expression has no equivalent in a path pattern.`);
  }
  return { kind: 'text', text: character };
}

/** Reads a set after its `[`. */
function readSet(cursor: Cursor): RegexNode {
  const isNegated = pass(cursor, '^');
  const characters = new Set<string>();
  for (let isFirst = true; isFirst || cursor.text[cursor.at] !== ']'; isFirst = false) {
    if (cursor.at >= cursor.text.length) throw refusal('"[" in the regular expression is not closed.');
    if (cursor.text.startsWith('[:', cursor.at)) {
      throw refusal('Character classes like "[:digit:]" have no equivalent in a path pattern.');
    }
    const members = readMember(cursor);
    const [first] = members;
    if (members.length === 1 && first !== undefined && isRange(cursor)) addRange(cursor, first, characters);
    else for (const member of members) characters.add(member);
  }
  cursor.at += 1;
  return { kind: 'set', isNegated, characters };
}

function isRange({ text, at }: Cursor): boolean {
  return text[at] === '-' && text[at + 1] !== ']' && at + 1 < text.length;
}

function addRange(cursor: Cursor, first: string, characters: Set<string>): void {
  cursor.at += 1;
  const [last, ...more] = readMember(cursor);
  const [from, to] = [first.codePointAt(0) ?? 0, last?.codePointAt(0) ?? 0];
  if (more.length > 0 || to < from || to - from > MAX_RANGE) {
    throw refusal('A range in the regular expression cannot be read.');
  }
  for (let code = from; code <= to; code += 1) characters.add(String.fromCodePoint(code));
}

function readMember(cursor: Cursor): readonly string[] {
  const character = String.fromCodePoint(cursor.text.codePointAt(cursor.at) ?? 0);
  cursor.at += character.length;
  if (character !== '\\') return [character];
  const node = readEscape(cursor);
  if (node.kind === 'text') return [node.text];
  if (node.kind === 'set' && !node.isNegated) return [...node.characters];
  throw refusal('A negated class within "[…]" has no equivalent in a path pattern.');
}

/** Position of a reader in an expression. */
interface Cursor {
  readonly text: string;
  at: number;
  groups: number;
}

/** Returns whether the text continues with `expected`, and moves behind it. */
function pass(cursor: Cursor, expected: string): boolean {
  if (!cursor.text.startsWith(expected, cursor.at)) return false;
  cursor.at += expected.length;
  return true;
}
