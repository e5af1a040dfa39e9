import type { NativeWriter } from '../../../shared/native/native-writer.js';
import { isPlainRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import { asRedirectDefinition } from '../../../shared/ruleset/definition-lines.js';
import type { RedirectDefinition, RedirectType } from '../../../shared/ruleset/redirect-definition.js';
import { isPackedRule, type PackedRule, packRule, unpackRule } from './packed-rules.js';

/**
 * A definition as one line of JSON, half as long as with the names of its members:
 * `[host, id, destination, status code, traits, sampling rate, retention days, rules]`.
 * Retention is null where only rules follow it, and what is absent at the end is left out. A line with nothing but
 * a host says that nothing is served there any more.
 */
type PackedDefinition = readonly [
  host: string,
  id: string,
  destination: string,
  statusCode: number,
  traits: number,
  samplingRate: number,
  retentionDays?: number | null,
  rules?: readonly PackedRule[],
];

const TYPES: Readonly<Record<number, RedirectType>> = { 301: 'permanent', 302: 'temporary' };
const STATUS_CODES: Readonly<Record<RedirectType, number>> = { permanent: 301, temporary: 302 };
const FORWARDS_PATH = 1;
const FORWARDS_QUERY = 2;
/** Said with the forwarding: the line is plain, see `isPlainLine`. */
const IS_PLAIN = 4;
const MOST_TRAITS = FORWARDS_PATH | FORWARDS_QUERY | IS_PLAIN;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5d;
const DIGIT_0 = 0x30;
/** `["` stands before the host, `","` between it, the id and the destination. */
const HOST_AT = 2;
const BETWEEN_TEXTS = 3;
/** From the quote that ends the destination: `",301,7,1` or more digits. */
const TRAITS_AFTER = 6;
const SAMPLING_AFTER = 8;
const TEMPORARY = '",302,';
const LINE_END = ']\n';
/** The same in JSON. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

/** @returns a line with its newline */
export function packDefinition(definition: RedirectDefinition): string {
  const { host, id, destination, redirectType, samplingRate, retentionDays, rules } = definition;
  const traits =
    (definition.pathForwarding ? FORWARDS_PATH : 0) |
    (definition.queryForwarding ? FORWARDS_QUERY : 0) |
    (isPlainRedirect(definition) && PLAIN_TEXT.test(host) && PLAIN_TEXT.test(id) ? IS_PLAIN : 0);
  const packed: unknown[] = [host, id, destination, STATUS_CODES[redirectType], traits, samplingRate];
  if (retentionDays !== undefined || rules !== undefined) packed.push(retentionDays ?? null);
  if (rules !== undefined) packed.push(rules.map(packRule));
  return toLine(packed);
}

/** A line with nothing but a text; of a host, it says that nothing is served there any more. */
export function packText(text: string): string {
  return PLAIN_TEXT.test(text) ? `["${text}"${LINE_END}` : toLine([text]);
}

/** The definition in a line that `parsePackedLine` has taken or `packDefinition` has made. */
export function unpackDefinition(line: string): RedirectDefinition {
  return definitionOf(JSON.parse(line));
}

/**
 * What a line says of its host.
 *
 * @throws when it is no such line
 */
export function parsePackedLine(line: string): {
  readonly host: string;
  readonly redirect: RedirectDefinition | null;
} {
  const value: unknown = JSON.parse(line);
  if (!Array.isArray(value)) throw new Error('a line of it is no redirect');
  const [host] = value;
  if (value.length === 1 && typeof host === 'string') return { host, redirect: null };
  if (!isUnpackable(value)) throw new Error('a line of it is no redirect');
  const redirect = asRedirectDefinition(definitionOf(value));
  return { host: redirect.host, redirect };
}

/** Whether the line that ends before `end` is that of a redirect with rules. */
export function hasRules(bytes: Buffer, end: number): boolean {
  return bytes[end - LINE_END.length - 1] === BRACKET;
}

/**
 * Whether a line without rules is that of a redirect that has passed `isPlainRedirect` and has nothing in its texts that
 * JSON writes otherwise: it can be read by looking for quotes and commas.
 *
 * @param line its bytes as latin1 will do
 */
export function isPlainLine(line: string): boolean {
  return (digitAt(line, line.lastIndexOf('"') + TRAITS_AFTER) & IS_PLAIN) !== 0;
}

/** As `unpackDefinition`, at a fraction of the time, for the line of `host` that has passed `isPlainLine`. */
export function unpackPlainDefinition(line: string, host: string): RedirectDefinition {
  const idAt = HOST_AT + host.length + BETWEEN_TEXTS;
  const idEnd = line.indexOf('"', idAt);
  const destinationAt = idEnd + BETWEEN_TEXTS;
  const destinationEnd = line.indexOf('"', destinationAt);
  const traits = digitAt(line, destinationEnd + TRAITS_AFTER);
  const samplingAt = destinationEnd + SAMPLING_AFTER;
  const comma = line.indexOf(',', samplingAt);
  const end = line.length - LINE_END.length;
  const definition: RedirectDefinition = {
    id: line.slice(idAt, idEnd),
    host,
    destination: line.slice(destinationAt, destinationEnd),
    redirectType: line.startsWith(TEMPORARY, destinationEnd) ? 'temporary' : 'permanent',
    pathForwarding: (traits & FORWARDS_PATH) !== 0,
    queryForwarding: (traits & FORWARDS_QUERY) !== 0,
    samplingRate: Number(line.slice(samplingAt, comma === -1 ? end : comma)),
  };
  return comma === -1 ? definition : { ...definition, retentionDays: Number(line.slice(comma + 1, end)) };
}

function digitAt(line: string, at: number): number {
  return line.charCodeAt(at) - DIGIT_0;
}

/** The host, or other first text, of the line that begins at `start`. */
export function textOfLine(bytes: Buffer, start: number): string {
  const from = start + HOST_AT;
  const end = plainEnd(bytes, from);
  if (bytes[end] === QUOTE) return bytes.toString('latin1', from, end);
  return unpackDefinition(bytes.toString('utf8', start, bytes.indexOf('\n', start))).host;
}

/** Appends that text as a String of the Native format; from bytes to bytes where it is plain. */
export function writeTextOfLine(writer: NativeWriter, bytes: Buffer, start: number): void {
  const from = start + HOST_AT;
  const end = plainEnd(bytes, from);
  if (bytes[end] === QUOTE) writer.encodedText(bytes, from, end);
  else writer.text(textOfLine(bytes, start));
}

function plainEnd(bytes: Buffer, from: number): number {
  let end = from;
  while (isPlain(bytes[end])) end += 1;
  return end;
}

/** Whether the line that begins at `start` is that of a host, or other text. */
export function isLineOf(text: string, bytes: Buffer, start: number): boolean {
  const from = start + HOST_AT;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== bytes[from + at] || !isPlain(code)) return textOfLine(bytes, start) === text;
  }
  return bytes[from + text.length] === QUOTE;
}

/** Whether a character is the same in JSON, and one byte. All those of host names are. */
function isPlain(code: number | undefined): boolean {
  return code !== undefined && code >= 0x20 && code < 0x7f && code !== QUOTE && code !== BACKSLASH;
}

function toLine(packed: readonly unknown[]): string {
  return `${JSON.stringify(packed)}\n`;
}

/** Whether `definitionOf` can make something of a list, which has to be looked at then: it need not be a redirect. */
function isUnpackable(packed: readonly unknown[]): packed is PackedDefinition {
  return isTraits(packed[4]) && arePackedRules(packed[7]);
}

function isTraits(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TRAITS;
}

function arePackedRules(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isPackedRule));
}

function definitionOf(packed: PackedDefinition): RedirectDefinition {
  const [host, id, destination, statusCode, traits, samplingRate, retentionDays, rules] = packed;
  return {
    id,
    host,
    destination,
    redirectType: TYPES[statusCode] as RedirectType,
    pathForwarding: (traits & FORWARDS_PATH) !== 0,
    queryForwarding: (traits & FORWARDS_QUERY) !== 0,
    samplingRate,
    ...(typeof retentionDays === 'number' && { retentionDays }),
    ...(rules !== undefined && { rules: rules.map(unpackRule) }),
  };
}
