import { refusal } from '../outcome.js';
import type { RegexNode, RegexSequence, Times } from './read-regex.js';

/** Maximum paths that one expression can become. */
export const MAX_VARIANTS = 64;
/** Maximum exact repetitions, as in `a{3}`. */
const MAX_COUNT = 8;

/** Maximum literal parts and placeholders, more than a pattern can have. */
const MAX_PIECES = 80;
/** Maximum length of a literal part. */
const MAX_TEXT_LENGTH = 4_096;

/** Part of an expression without alternatives. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** One non-empty segment. */
  | { readonly kind: 'segment' }
  /** The rest of the text. */
  | { readonly kind: 'rest'; readonly isLazy: boolean; readonly isEmptyToo: boolean };

/** One of the alternatives of an expression. */
export interface Variant {
  readonly pieces: readonly Piece[];
  readonly captures: ReadonlyMap<string, readonly Piece[]>;
}

const EMPTY: Variant = { pieces: [], captures: new Map() };
const ANY_SEGMENT = new Set(['/', '?', '#']);

/**
 * Returns all alternatives of a sequence, in the order in which the expression prefers them.
 *
 * @throws {Unread} when there are too many, or a part is not a literal, a segment or a rest
 */
export function expandSequence(nodes: RegexSequence): Variant[] {
  let variants: Variant[] = [EMPTY];
  for (const node of nodes) variants = followedBy(variants, node, expandNode(node));
  return variants;
}

function followedBy(variants: readonly Variant[], node: RegexNode, options: readonly Variant[]): Variant[] {
  const all = variants.flatMap((variant) =>
    optionsAfter(variant, node, options).map((option) => join(variant, option)),
  );
  requireFewVariants(all);
  return all;
}

/** @throws {Unread} */
export function requireFewVariants(variants: readonly unknown[]): void {
  if (variants.length <= MAX_VARIANTS) return;
  throw refusal(`The regular expression stands for more than ${MAX_VARIANTS} paths. Write them as several.`);
}

/** Drops text that a greedy rest consumes, such as the slash in `(.*)/?`. */
function optionsAfter({ pieces }: Variant, node: RegexNode, options: readonly Variant[]): readonly Variant[] {
  const last = pieces.at(-1);
  const isTaken = last?.kind === 'rest' && !last.isLazy && isOptional(node);
  return isTaken ? options.slice(-1) : options;
}

function isOptional(node: RegexNode): boolean {
  if (node.kind === 'repeat') return node.times.min === 0 && node.times.max === 1;
  return node.kind === 'group' && node.options.length === 1 && (node.options[0] ?? []).every(isOptional);
}

function join(a: Variant, b: Variant): Variant {
  const last = a.pieces.at(-1);
  const first = b.pieces[0];
  const captures = b.captures.size === 0 ? a.captures : new Map([...a.captures, ...b.captures]);
  if (a.pieces.length > MAX_PIECES) throw refusal('The regular expression has too many placeholders.');
  if (last?.kind !== 'text' || first?.kind !== 'text')
    return { pieces: [...a.pieces, ...b.pieces], captures };
  const text = { kind: 'text', text: last.text + first.text } as const;
  if (text.text.length > MAX_TEXT_LENGTH) {
    throw refusal(`The regular expression matches paths of more than ${MAX_TEXT_LENGTH} characters.`);
  }
  return { pieces: [...a.pieces.slice(0, -1), text, ...b.pieces.slice(1)], captures };
}

function expandNode(node: RegexNode): Variant[] {
  if (node.kind === 'text') return [textVariant(node.text)];
  if (node.kind === 'group') {
    return node.options.flatMap(expandSequence).map(({ pieces, captures }) => {
      const own = node.names.map((name) => [name, pieces] as const);
      return { pieces, captures: new Map([...captures, ...own]) };
    });
  }
  if (node.kind === 'repeat') return expandRepeat(node.node, node.times);
  if (node.kind === 'any') throw refusal('"." stands for any character. Write "\\." for a dot.');
  if (node.kind === 'set' && !node.isNegated)
    return [...node.characters].slice(0, MAX_VARIANTS + 1).map(textVariant);
  if (node.kind === 'set') throw refusal('A negated set must be repeated, as in "[^/]+".');
  throw refusal('"^" can only stand at the beginning of the regular expression and "$" at its end.');
}

function textVariant(text: string): Variant {
  return { pieces: [{ kind: 'text', text }], captures: new Map() };
}

function expandRepeat(node: RegexNode, { min, max, isLazy }: Times): Variant[] {
  if (max === Number.POSITIVE_INFINITY) return [expandEndless(node, min, isLazy)];
  if (min === 0 && max === 1) {
    const some = expandNode(node);
    return isLazy ? [EMPTY, ...some] : [...some, EMPTY];
  }
  if (min !== max || max > MAX_COUNT) {
    throw refusal(
      'A counted repetition has no equivalent in a path pattern. Write "[^/]+" if any segment may match.',
    );
  }
  const options = expandNode(node);
  let variants: Variant[] = [EMPTY];
  for (let count = 0; count < min; count += 1) variants = followedBy(variants, node, options);
  return variants;
}

function expandEndless(node: RegexNode, min: number, isLazy: boolean): Variant {
  const excluded = node.kind === 'set' && node.isNegated ? [...node.characters] : undefined;
  const isBroad = excluded?.every((character) => ANY_SEGMENT.has(character)) ?? false;
  if (min <= 1 && (node.kind === 'any' || (isBroad && excluded?.includes('/') === false))) {
    return { pieces: [{ kind: 'rest', isLazy, isEmptyToo: min === 0 }], captures: new Map() };
  }
  if (min === 1 && isBroad) return { pieces: [{ kind: 'segment' }], captures: new Map() };
  if (isBroad) throw refusal('A placeholder matches no empty segment. Write "[^/]+" instead of "[^/]*".');
  if (node.kind === 'set') {
    throw refusal(
      'A placeholder matches any segment, not only some characters. Write "[^/]+" if any segment may match.',
    );
  }
  throw refusal(
    'A repeated part has no equivalent in a path pattern. Write "(.*)" at the end if anything may follow.',
  );
}
