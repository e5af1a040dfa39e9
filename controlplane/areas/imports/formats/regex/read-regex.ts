import {
  type Cursor,
  pass,
  type RegexNode,
  type RegexOptions,
  type RegexSequence,
  UnfitRegex,
} from './regex-nodes.js';
import { readEscape, readSet } from './regex-set.js';

/** Maximum length of an expression. */
const MAX_LENGTH = 1_024;
/** Maximum depth of its groups. */
const MAX_DEPTH = 16;
/** Maximum number of groups that capture. */
const MAX_GROUPS = 32;
const COUNT = /\{(\d{1,4})(,(\d{0,4}))?\}/y;

/**
 * Reads a regular expression in the common part of PCRE and RE2. Costs time in proportion to its length.
 *
 * @throws {UnfitRegex} for one that is not valid, or has constructs that no path pattern can express
 */
export function readRegex(text: string): RegexOptions {
  if (text.length > MAX_LENGTH) {
    throw new UnfitRegex(`A regular expression can have at most ${MAX_LENGTH} characters.`);
  }
  const cursor: Cursor = { text, at: 0, groups: 0 };
  const options = readOptions(cursor, 0);
  if (cursor.at < text.length) throw new UnfitRegex('")" in the regular expression has no "(".');
  return options;
}

function readOptions(cursor: Cursor, depth: number): RegexOptions {
  if (depth > MAX_DEPTH) throw new UnfitRegex(`Groups can be nested at most ${MAX_DEPTH} levels deep.`);
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
  if ('*+?'.includes(character))
    throw new UnfitRegex(`"${character}" in the regular expression repeats nothing.`);
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
      throw new UnfitRegex('Groups like "(?=…)", "(?!…)" and "(?i)" have no equivalent in a path pattern.');
    }
    cursor.groups += 1;
    if (cursor.groups > MAX_GROUPS)
      throw new UnfitRegex(`An expression can have at most ${MAX_GROUPS} groups.`);
    names.push(String(cursor.groups));
  }
  const options = readOptions(cursor, depth + 1);
  if (!pass(cursor, ')')) throw new UnfitRegex('"(" in the regular expression is not closed.');
  return { kind: 'group', names, options };
}

function readRepeated(cursor: Cursor, node: RegexNode): RegexNode {
  const bounds = readBounds(cursor);
  if (bounds === undefined) return node;
  const isLazy = pass(cursor, '?');
  if (!isLazy && pass(cursor, '+')) throw new UnfitRegex('Possessive repetitions cannot be read.');
  if (node.kind === 'start' || node.kind === 'end') throw new UnfitRegex('An anchor cannot be repeated.');
  if (readBounds(cursor) !== undefined) throw new UnfitRegex('A repetition of a repetition cannot be read.');
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
