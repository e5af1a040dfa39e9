import type { PathPage } from '../../../shared/paths/path-page.js';
import { isPublishedPage } from '../../../shared/paths/published-paths.js';
import { isPlainRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import { asRedirectDefinition } from '../../../shared/ruleset/definition-lines.js';
import { hasOptions, OPTION_NAMES } from '../../../shared/ruleset/option-fields.js';
import type {
  QueryRecording,
  RedirectDefinition,
  RedirectType,
} from '../../../shared/ruleset/redirect-definition.js';
import type { RedirectOptions } from '../../../shared/ruleset/redirect-options.js';
import { isPlainText, LINE_END, lineOf, TEXT_AT } from '../../texts/text-line.js';
import { isPackedRule, type PackedRule, packRule, unpackRule } from './packed-rules.js';

/**
 * A definition as one line of JSON, half as long as with the names of its members:
 * `[host, id, destination, status code, traits, sampling rate, retention days, cache seconds, rules, options]`.
 * Retention is null where it is absent and cache seconds or rules follow. Cache seconds, rules and options are left out
 * where they are absent: a number, a list and an object. A line with only a host says that nothing is served there any
 * more. The line of a page of paths is `[key, page]`. Few redirects have options, so the names of their members stay.
 */
type PackedDefinition = readonly [
  host: string,
  id: string,
  destination: string,
  statusCode: number,
  traits: number,
  samplingRate: number,
  retentionDays?: number | null | RedirectOptions,
  cacheSecondsOrRules?: number | readonly PackedRule[] | RedirectOptions,
  rulesAfterCacheSeconds?: readonly PackedRule[] | RedirectOptions,
  options?: RedirectOptions,
];

const TYPES: Readonly<Record<number, RedirectType>> = { 301: 'permanent', 302: 'temporary' };
const STATUS_CODES: Readonly<Record<RedirectType, number>> = { permanent: 301, temporary: 302 };
const FORWARDS_PATH = 1;
const FORWARDS_QUERY = 2;
/** Added to the traits of a line that `isPlainLine` accepts. Plain lines have one digit of traits. */
const IS_PLAIN = 4;
/** Added to the traits where query recording is not the default. Such a line is not plain. */
const RECORDING_TRAITS: Readonly<Record<QueryRecording, number>> = { full: 0, names: 8, none: 16 };
const FORWARDS = FORWARDS_PATH | FORWARDS_QUERY;
/** All traits that a line can have. */
const TRAITS: ReadonlySet<unknown> = new Set(
  [IS_PLAIN, ...Object.values(RECORDING_TRAITS)].flatMap((added) =>
    [0, FORWARDS_PATH, FORWARDS_QUERY, FORWARDS].map((forwards) => forwards | added),
  ),
);

const RETENTION_AT = 6;
/** Position of the rules in a line without cache seconds. */
const RULES_AT = 7;

/** The codes of `]` and `}` differ only in this bit. No other character of JSON becomes `}` with it. */
const BRACKET_BIT = 0x20;
const BRACE = 0x7d;
const DIGIT_0 = 0x30;
/** `","` separates host, id and destination. */
const BETWEEN_TEXTS = 3;
/** Position of the traits after the destination's closing quote: `",301,7,1` or more digits. */
const TRAITS_AFTER = 6;
const SAMPLING_AFTER = 8;
const TEMPORARY = '",302,';

/** @returns a line with its newline; `PAGE_AFTER` is the distance from the key to the page */
export function packPage(key: string, page: PathPage): string {
  return `["${key}","${page}"${LINE_END}`;
}

/** Position of a page in its line, after the end of the key. */
export const PAGE_AFTER = TEXT_AT + '","'.length;

/** @returns a line with its newline */
export function packDefinition(definition: RedirectDefinition): string {
  const { host, id, destination, redirectType, samplingRate, retentionDays, cacheSeconds, rules } =
    definition;
  const { queryRecording = 'full' } = definition;
  const traits =
    (definition.pathForwarding ? FORWARDS_PATH : 0) |
    (definition.queryForwarding ? FORWARDS_QUERY : 0) |
    (isPlain(definition) ? IS_PLAIN : 0) |
    RECORDING_TRAITS[queryRecording];
  const packed: unknown[] = [host, id, destination, STATUS_CODES[redirectType], traits, samplingRate];
  if (retentionDays !== undefined || cacheSeconds !== undefined || rules !== undefined) {
    packed.push(retentionDays ?? null);
  }
  if (cacheSeconds !== undefined) packed.push(cacheSeconds);
  if (rules !== undefined) packed.push(rules.map(packRule));
  if (hasOptions(definition)) packed.push(packOptions(definition));
  return lineOf(packed);
}

function isPlain(definition: RedirectDefinition): boolean {
  const { host, id, queryRecording = 'full' } = definition;
  return queryRecording === 'full' && isPlainRedirect(definition) && isPlainText(host) && isPlainText(id);
}

/** Returns the definition in a line made by `packDefinition` or accepted by `parsePackedLine`. */
export function unpackDefinition(line: string): RedirectDefinition {
  return definitionOf(JSON.parse(line));
}

/**
 * Returns host and definition of a line.
 *
 * @throws when the line is malformed
 */
export function parsePackedLine(line: string): {
  readonly host: string;
  readonly redirect: RedirectDefinition | null;
  readonly page?: PathPage;
} {
  const value: unknown = JSON.parse(line);
  if (!Array.isArray(value)) throw new Error('a line of it is no redirect');
  const [host] = value;
  if (value.length === 1 && typeof host === 'string') return { host, redirect: null };
  if (value.length === 2 && typeof host === 'string' && isPublishedPage(host, value[1])) {
    return { host, redirect: null, page: value[1] };
  }
  if (!isUnpackable(value)) throw new Error('a line of it is no redirect');
  const redirect = asRedirectDefinition(definitionOf(value));
  return { host: redirect.host, redirect };
}

/** Returns whether the line that ends before `end` has rules or options. */
export function hasRulesOrOptions(bytes: Buffer, end: number): boolean {
  return ((bytes[end - LINE_END.length - 1] ?? 0) | BRACKET_BIT) === BRACE;
}

/**
 * Returns whether a line is that of a redirect that `isPlainRedirect` accepts, without characters that JSON escapes.
 * Such a line can be read by looking for quotes and commas.
 *
 * @param line its bytes; latin1 is enough
 */
export function isPlainLine(line: string): boolean {
  return (digitAt(line, line.lastIndexOf('"') + TRAITS_AFTER) & IS_PLAIN) !== 0;
}

/** Returns the same as `unpackDefinition` in less time, for a line of `host` that `isPlainLine` accepts. */
export function unpackPlainDefinition(line: string, host: string): RedirectDefinition {
  const idAt = TEXT_AT + host.length + BETWEEN_TEXTS;
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
  return comma === -1 ? definition : { ...definition, ...plainOptions(line.slice(comma + 1, end)) };
}

/** @param text after the sampling rate: `retention` or `retention,cache seconds` */
function plainOptions(text: string): Pick<RedirectDefinition, 'retentionDays' | 'cacheSeconds'> {
  const comma = text.indexOf(',');
  const retention = comma === -1 ? text : text.slice(0, comma);
  return {
    ...(retention !== 'null' && { retentionDays: Number(retention) }),
    ...(comma !== -1 && { cacheSeconds: Number(text.slice(comma + 1)) }),
  };
}

function digitAt(line: string, at: number): number {
  return line.charCodeAt(at) - DIGIT_0;
}

/** Returns whether `definitionOf` can read a list. The result must still be checked: it need not be a redirect. */
function isUnpackable(packed: readonly unknown[]): packed is PackedDefinition {
  for (let at = RETENTION_AT; at < packed.length; at += 1) {
    const member = packed[at];
    if (isOptionsPlace(member) && !(at === packed.length - 1 && arePackedOptions(member))) return false;
  }
  return TRAITS.has(packed[4]) && arePackedRules(packed[rulesAt(packed)]);
}

function rulesAt(packed: readonly unknown[]): number {
  return typeof packed[RULES_AT] === 'number' ? RULES_AT + 1 : RULES_AT;
}

function arePackedRules(value: unknown): boolean {
  return value === undefined || isOptionsPlace(value) || (Array.isArray(value) && value.every(isPackedRule));
}

function definitionOf(packed: PackedDefinition): RedirectDefinition {
  const [host, id, destination, statusCode, traits, samplingRate, retentionDays, seventh, eighth] = packed;
  const cacheSeconds = typeof seventh === 'number' ? seventh : undefined;
  const rules = typeof seventh === 'number' ? eighth : seventh;
  const last: unknown = packed[packed.length - 1];
  return {
    id,
    host,
    destination,
    redirectType: TYPES[statusCode] as RedirectType,
    pathForwarding: (traits & FORWARDS_PATH) !== 0,
    queryForwarding: (traits & FORWARDS_QUERY) !== 0,
    samplingRate,
    ...(typeof retentionDays === 'number' && { retentionDays }),
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...((traits & RECORDING_TRAITS.names) !== 0 && { queryRecording: 'names' }),
    ...((traits & RECORDING_TRAITS.none) !== 0 && { queryRecording: 'none' }),
    ...(Array.isArray(rules) && { rules: rules.map(unpackRule) }),
    ...(isOptionsPlace(last) && last),
  };
}

/** Returns the options of a redirect without its other members. */
function packOptions(redirect: RedirectOptions): RedirectOptions {
  const names = OPTION_NAMES.filter((name) => redirect[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, redirect[name]]));
}

/** Returns whether the last member of a line holds options. */
function isOptionsPlace(value: unknown): value is RedirectOptions {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether options have the names that `packOptions` writes. Their values may still be invalid. */
function arePackedOptions(options: RedirectOptions): boolean {
  const names = Object.keys(options);
  return names.length > 0 && names.every((name) => OPTION_NAMES.some((known) => known === name));
}
