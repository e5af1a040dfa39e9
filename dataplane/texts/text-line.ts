import type { NativeWriter } from '../../shared/native/native-writer.js';

/**
 * Lines of JSON, each a list that begins with a text: `["text"]`, or `["text",…]`. Most texts are unchanged in JSON,
 * and are read and compared as bytes without parsing.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Position of the text in a line, after `["`. */
export const TEXT_AT = 2;
export const LINE_END = ']\n';
/** Matches texts that JSON does not change. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

/** Returns whether a text is ASCII without characters that JSON escapes. */
export function isPlainText(text: string): boolean {
  return PLAIN_TEXT.test(text);
}

/**
 * @param members the first of them is the text
 * @returns a line with its newline
 */
export function lineOf(members: readonly unknown[]): string {
  return `${JSON.stringify(members)}\n`;
}

/** Returns a line with only a text, with its newline. */
export function packText(text: string): string {
  return isPlainText(text) ? `["${text}"${LINE_END}` : lineOf([text]);
}

/** Returns the text of the line that begins at `start`. */
export function textOfLine(bytes: Buffer, start: number): string {
  const from = start + TEXT_AT;
  const end = plainEnd(bytes, from);
  if (bytes[end] === QUOTE) return bytes.toString('latin1', from, end);
  const [text] = JSON.parse(bytes.toString('utf8', start, bytes.indexOf('\n', start))) as readonly [string];
  return text;
}

/** Appends the text of a line as a String of the Native format; copies bytes if it needs no decoding. */
export function writeTextOfLine(writer: NativeWriter, bytes: Buffer, start: number): void {
  const from = start + TEXT_AT;
  const end = plainEnd(bytes, from);
  if (bytes[end] === QUOTE) writer.encodedText(bytes, from, end);
  else writer.text(textOfLine(bytes, start));
}

function plainEnd(bytes: Buffer, from: number): number {
  let end = from;
  while (isPlain(bytes[end])) end += 1;
  return end;
}

/** Returns whether the line that begins at `start` is that of a text. */
export function isLineOf(text: string, bytes: Buffer, start: number): boolean {
  const from = start + TEXT_AT;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== bytes[from + at] || !isPlain(code)) return textOfLine(bytes, start) === text;
  }
  return bytes[from + text.length] === QUOTE;
}

/** Returns whether a character is unchanged in JSON, and one byte. All characters of host names are. */
function isPlain(code: number | undefined): boolean {
  return code !== undefined && code >= 0x20 && code < 0x7f && code !== QUOTE && code !== BACKSLASH;
}
