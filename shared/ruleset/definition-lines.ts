import { isRuleDefinition } from '../rules/rule-structure.js';
import type { RedirectDefinition } from './redirect-definition.js';

const LINES_PER_SLICE = 500;
/** Ends a slice of redirects with many rules before it makes a long turn. */
const SLICE_CHARACTERS = 256 * 1024;

/** Definitions as lines of JSON, in pieces small enough to be made one per turn of the event loop. */
export function* encodeDefinitionLines(definitions: readonly RedirectDefinition[]): Generator<Buffer> {
  for (let at = 0; at < definitions.length; ) {
    const end = Math.min(at + LINES_PER_SLICE, definitions.length);
    let text = '';
    for (; at < end && text.length < SLICE_CHARACTERS; at += 1)
      text += `${JSON.stringify(definitions[at])}\n`;
    yield Buffer.from(text);
  }
}

/**
 * The definition on one line.
 *
 * @throws when the line is not built as a redirect, every member there and of its type
 */
export function parseDefinitionLine(line: string): RedirectDefinition {
  const value: unknown = JSON.parse(line);
  if (!isRedirectDefinition(value)) throw new Error('a line of it is no redirect');
  return value;
}

/** Whether `value` is built as a redirect with its rules. */
export function isRedirectDefinition(value: unknown): value is RedirectDefinition {
  if (typeof value !== 'object' || value === null) return false;
  const {
    id,
    host,
    destination,
    redirectType,
    pathForwarding,
    queryForwarding,
    samplingRate,
    retentionDays,
    rules,
  } = value as Record<string, unknown>;
  return (
    [id, host, destination].every((text) => typeof text === 'string') &&
    (redirectType === 'permanent' || redirectType === 'temporary') &&
    typeof pathForwarding === 'boolean' &&
    typeof queryForwarding === 'boolean' &&
    Number.isFinite(samplingRate) &&
    (retentionDays === undefined || isRetention(retentionDays)) &&
    (rules === undefined || (Array.isArray(rules) && rules.every(isRuleDefinition)))
  );
}

/** Hits carry it as 16 bits. */
function isRetention(days: unknown): boolean {
  return typeof days === 'number' && Number.isInteger(days) && days >= 0 && days <= 65_535;
}
