import { isRedirectDefinition } from '../../../shared/ruleset/definition-lines.js';
import type { RedirectDefinition, RedirectType } from '../../../shared/ruleset/redirect-definition.js';

/**
 * A definition as one line of JSON, half as long as with the names of its members:
 * `[host, id, destination, status code, forwarding, sampling rate, retention days, rules]`.
 * Retention is null where only rules follow it, and what is absent at the end is left out. A line with nothing but
 * a host says that nothing is served there any more.
 */
type PackedDefinition = readonly [
  host: string,
  id: string,
  destination: string,
  statusCode: number,
  forwarding: number,
  samplingRate: number,
  retentionDays?: number | null,
  rules?: RedirectDefinition['rules'],
];

const TYPES: Readonly<Record<number, RedirectType>> = { 301: 'permanent', 302: 'temporary' };
const STATUS_CODES: Readonly<Record<RedirectType, number>> = { permanent: 301, temporary: 302 };
const FORWARDS_PATH = 1;
const FORWARDS_QUERY = 2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `["` stands before the host. */
const HOST_AT = 2;

/** @returns a line with its newline */
export function packDefinition(definition: RedirectDefinition): string {
  const { host, id, destination, redirectType, samplingRate, retentionDays, rules } = definition;
  const forwarding =
    (definition.pathForwarding ? FORWARDS_PATH : 0) | (definition.queryForwarding ? FORWARDS_QUERY : 0);
  const packed: unknown[] = [host, id, destination, STATUS_CODES[redirectType], forwarding, samplingRate];
  if (retentionDays !== undefined || rules !== undefined) packed.push(retentionDays ?? null);
  if (rules !== undefined) packed.push(rules);
  return toLine(packed);
}

/** @returns a line with its newline */
export function packRemoval(host: string): string {
  return toLine([host]);
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
  const redirect: unknown = definitionOf(value as unknown as PackedDefinition);
  if (![0, 1, 2, 3].includes(value[4]) || !isRedirectDefinition(redirect)) {
    throw new Error('a line of it is no redirect');
  }
  return { host: redirect.host, redirect };
}

/** The host of the line that begins at `start`. */
export function hostOfLine(bytes: Buffer, start: number): string {
  const from = start + HOST_AT;
  let end = from;
  while (isPlain(bytes[end])) end += 1;
  if (bytes[end] === QUOTE) return bytes.toString('latin1', from, end);
  return unpackDefinition(bytes.toString('utf8', start, bytes.indexOf('\n', start))).host;
}

/** Whether the line that begins at `start` is that of `host`. */
export function isLineOf(host: string, bytes: Buffer, start: number): boolean {
  const from = start + HOST_AT;
  for (let at = 0; at < host.length; at += 1) {
    const code = host.charCodeAt(at);
    if (code !== bytes[from + at] || !isPlain(code)) return hostOfLine(bytes, start) === host;
  }
  return bytes[from + host.length] === QUOTE;
}

/** Whether a character is the same in JSON, and one byte. All those of host names are. */
function isPlain(code: number | undefined): boolean {
  return code !== undefined && code >= 0x20 && code < 0x7f && code !== QUOTE && code !== BACKSLASH;
}

function toLine(packed: readonly unknown[]): string {
  return `${JSON.stringify(packed)}\n`;
}

function definitionOf(packed: PackedDefinition): RedirectDefinition {
  const [host, id, destination, statusCode, forwarding, samplingRate, retentionDays, rules] = packed;
  return {
    id,
    host,
    destination,
    redirectType: TYPES[statusCode] as RedirectType,
    pathForwarding: (forwarding & FORWARDS_PATH) !== 0,
    queryForwarding: (forwarding & FORWARDS_QUERY) !== 0,
    samplingRate,
    ...(typeof retentionDays === 'number' && { retentionDays }),
    ...(rules !== undefined && { rules }),
  };
}
