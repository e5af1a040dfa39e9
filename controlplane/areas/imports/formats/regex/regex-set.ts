import { type Cursor, pass, type RegexNode, UnfitRegex } from './regex-nodes.js';

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

/** Reads what follows a backslash: a character, or a class like `\d`. */
export function readEscape(cursor: Cursor): RegexNode {
  const character = cursor.text[cursor.at] ?? '';
  cursor.at += 1;
  const members = CLASSES[character.toLowerCase()];
  if (members !== undefined) {
    return { kind: 'set', isNegated: character !== character.toLowerCase(), characters: new Set(members) };
  }
  const control = CONTROLS[character];
  if (control !== undefined) return { kind: 'text', text: control };
  if (character === '' || /[A-Za-z0-9]/.test(character)) {
    throw new UnfitRegex(`"\\${character}" in the regular expression has no equivalent in a path pattern.`);
  }
  return { kind: 'text', text: character };
}

/** Reads a set after its `[`. */
export function readSet(cursor: Cursor): RegexNode {
  const isNegated = pass(cursor, '^');
  const characters = new Set<string>();
  for (let isFirst = true; isFirst || cursor.text[cursor.at] !== ']'; isFirst = false) {
    if (cursor.at >= cursor.text.length) throw new UnfitRegex('"[" in the regular expression is not closed.');
    if (cursor.text.startsWith('[:', cursor.at)) {
      throw new UnfitRegex('Character classes like "[:digit:]" have no equivalent in a path pattern.');
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
    throw new UnfitRegex('A range in the regular expression cannot be read.');
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
  throw new UnfitRegex('A negated class within "[…]" has no equivalent in a path pattern.');
}
