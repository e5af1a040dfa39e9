import type { PathEnding } from '../../../../../shared/paths/path-entry.js';
import { refusal, unlessUnread } from '../outcome.js';
import { expandSequence, type Piece, requireFewVariants, type Variant } from './expand-regex.js';
import { type RegexSequence, readRegex } from './read-regex.js';

/** Text that a regular expression is compared with. */
export interface RegexSubject {
  /** Path of the folder to which paths are relative, with a slash at its end; undefined for whole paths. */
  readonly folder?: string;
  /** Whether the undecoded path of the request is compared. Otherwise the server decodes escapes first. */
  readonly isRaw?: boolean;
  readonly ignoresCase?: boolean;
}

/** A path pattern that matches the same paths as one alternative of a regular expression. */
export interface RegexPath {
  readonly path: string;
  /** Text of each group, by number and name, with placeholders of the pattern. */
  readonly captures: ReadonlyMap<string, string>;
  readonly ending: PathEnding;
  readonly ignoresCase?: boolean;
}

/** Returns path patterns that match exactly the paths of a regular expression. @throws {Unread} when no patterns do */
export function regexPaths(expression: string, subject: RegexSubject = {}): readonly RegexPath[] {
  const paths: RegexPath[] = [];
  for (const sequence of readRegex(expression)) {
    paths.push(...pathsOf(sequence, subject));
    requireFewVariants(paths);
  }
  if (paths.length > 0) return withoutRepeats(paths);
  throw refusal(
    subject.folder === undefined
      ? 'The regular expression matches no path. Paths start with "/".'
      : 'In .htaccess, paths are compared without their first slash. Write "^old$" instead of "^/old$".',
  );
}

function pathsOf(sequence: RegexSequence, subject: RegexSubject): RegexPath[] {
  if (sequence[0]?.kind !== 'start' && !startsWithRest(sequence)) {
    throw refusal(
      'Without "^" the regular expression matches anywhere in a path. Write "^" and the whole path.',
    );
  }
  const isClosed = sequence.at(-1)?.kind === 'end';
  const inner = sequence.slice(sequence[0]?.kind === 'start' ? 1 : 0, isClosed ? -1 : undefined);
  const variants = expandSequence(inner).flatMap((variant) => inFolder(variant, subject.folder));
  return variants.map((variant) => {
    const path = pathOf(variant, isClosed, subject);
    return subject.ignoresCase === true && hasLetters(variant) ? { ...path, ignoresCase: true } : path;
  });
}

function startsWithRest([first]: RegexSequence): boolean {
  if (first?.kind === 'group') return first.options.every(startsWithRest);
  return first?.kind === 'repeat' && first.node.kind === 'any' && first.times.min <= 1;
}

function hasLetters({ pieces }: Variant): boolean {
  return pieces.some(
    (piece) => piece.kind === 'text' && piece.text.toLowerCase() !== piece.text.toUpperCase(),
  );
}

const SLASH: Piece = { kind: 'text', text: '/' };

/** Adds the folder to which paths are relative. Returns nothing for an alternative that no path matches. */
function inFolder({ pieces, captures }: Variant, folder: string | undefined): Variant[] {
  const [first] = pieces;
  const startsWithSlash = first?.kind === 'text' && first.text.startsWith('/');
  if (folder !== undefined) {
    return startsWithSlash ? [] : [{ pieces: [{ kind: 'text', text: folder }, ...pieces], captures }];
  }
  if (startsWithSlash) return [{ pieces, captures }];
  if (first?.kind !== 'rest') return first === undefined ? [{ pieces: [SLASH], captures }] : [];
  // Every path starts with a slash, so "(.*)" and "(.+)" are "(/.*)".
  const rest: Piece = { ...first, isEmptyToo: true };
  const widen = (list: readonly Piece[]) =>
    list.flatMap((piece) => (piece === first ? [SLASH, rest] : [piece]));
  return [
    {
      pieces: widen(pieces),
      captures: new Map([...captures].map(([name, list]) => [name, widen(list)])),
    },
  ];
}

function pathOf({ pieces, captures }: Variant, isClosed: boolean, subject: RegexSubject): RegexPath {
  const texts = new Map<Piece, string>();
  let path = '';
  for (const [index, piece] of pieces.entries()) {
    const text =
      piece.kind === 'text' ? sourceText(piece.text, subject) : placeholder(piece, index, pieces, path);
    texts.set(piece, text);
    path += text;
  }
  const textOf = (piece: Piece) =>
    texts.get(piece) ?? (piece.kind === 'text' ? sourceText(piece.text, subject) : '');
  const last = pieces.at(-1);
  return {
    ...(isClosed ? { path, ending: endingOf(last) } : openPath(path, last)),
    captures: new Map([...captures].map(([name, list]) => [name, list.map(textOf).join('')])),
  };
}

function placeholder(piece: Piece, index: number, pieces: readonly Piece[], before: string): string {
  const next = pieces[index + 1];
  if (piece.kind === 'rest') {
    if (next === undefined && before.endsWith('/')) return '*';
    throw refusal('"(.*)" can only stand at the end, after a slash. Write "/(.*)$".');
  }
  const isWhole =
    before.endsWith('/') && (next === undefined || (next.kind === 'text' && next.text.startsWith('/')));
  if (isWhole) return `:p${pieces.slice(0, index + 1).filter(({ kind }) => kind === 'segment').length}`;
  throw refusal('A placeholder must be a whole segment. Write "/([^/]+)/" or one entry for each path.');
}

/** Returns the comparison of the end of a pattern. Expressions distinguish paths with a slash at their end. */
function endingOf(last: Piece | undefined): PathEnding {
  return last?.kind === 'rest' && !last.isEmptyToo ? 'below' : 'exact';
}

/** Returns the pattern for an expression without "$". */
function openPath(path: string, last: Piece | undefined): Pick<RegexPath, 'path' | 'ending'> {
  if (last?.kind === 'rest' && !last.isLazy) return { path, ending: endingOf(last) };
  if (last?.kind === 'segment') return { path: `${path}/*`, ending: 'inherit' };
  if (last?.kind === 'text' && path.endsWith('/')) return { path: `${path}*`, ending: 'exact' };
  throw refusal(
    `Without "$" the regular expression also matches longer names such as "${path}x". Write "$", or "/(.*)$" for everything below.`,
  );
}

const ESCAPED = /[\s\p{Cc}?#\\"]/gu;

/** Returns a literal text in the form of a source. @param field that refusals name */
function sourceText(text: string, { isRaw }: RegexSubject, field?: string): string {
  if (/\*|(?:^|\/):(?=[A-Za-z])/.test(text)) {
    throw refusal('"*" and ":" with a name are placeholders here and cannot be taken as text.', field);
  }
  if (isRaw === true && text.includes('?')) {
    throw refusal('A query cannot be part of the path. Write conditions on the query as query.', field);
  }
  const decoded = isRaw === true ? text : text.replaceAll('%', '%25');
  return decoded.replace(ESCAPED, encodeURIComponent);
}

/** Keeps the first of several patterns for the same paths. */
function withoutRepeats(paths: readonly RegexPath[]): RegexPath[] {
  const kept = new Map<string, RegexPath>();
  for (const one of paths) {
    const key = `${one.ending} ${one.path}`;
    if (!kept.has(key)) kept.set(key, one);
  }
  return [...kept.values()];
}

/** Returns the source of a literal path. @throws {Unread} when it cannot be one */
export function literalSource(path: string, subject: RegexSubject = { isRaw: true }): string {
  return sourceText(path, subject, 'path');
}

/** Returns the groups of an expression for the path `*` if it matches every path. */
export function everyPath(expression: string, subject: RegexSubject = {}): RegexPath | undefined {
  const paths = unlessUnread(
    () => regexPaths(expression, subject),
    () => [],
  );
  return paths.length === 1 && paths[0]?.path === `${subject.folder ?? '/'}*` ? paths[0] : undefined;
}
