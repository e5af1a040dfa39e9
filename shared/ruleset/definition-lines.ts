import { isId, MAX_ID_LENGTH } from '../hits/batch-bounds.js';
import { isObject } from '../rules/is-object.js';
import { isRuleDefinition } from '../rules/rule-structure.js';
import { isCount } from './count.js';
import { MAX_CACHE_SECONDS, QUERY_RECORDINGS, type RedirectDefinition } from './redirect-definition.js';

/** Maximum length of a host in a message. No valid host is longer. */
const SHOWN_CHARACTERS = 255;

/** What a field has to be, and how that is told. */
interface FieldRule {
  readonly holds: (value: unknown) => boolean;
  readonly must: string;
}

const TEXT: FieldRule = { holds: (value) => typeof value === 'string', must: 'a text' };
const SWITCH: FieldRule = { holds: (value) => typeof value === 'boolean', must: 'true or false' };

const FIELDS: Readonly<Record<keyof RedirectDefinition, FieldRule>> = {
  host: TEXT,
  // A batch of hits with any other would be refused as a whole.
  id: {
    holds: (id) => typeof id === 'string' && isId(id),
    must: `a text of 1 to ${MAX_ID_LENGTH} characters`,
  },
  destination: TEXT,
  redirectType: {
    holds: (type) => type === 'permanent' || type === 'temporary',
    must: '"permanent" or "temporary"',
  },
  pathForwarding: SWITCH,
  queryForwarding: SWITCH,
  samplingRate: { holds: isShare, must: 'a number from 0 to 1' },
  cacheSeconds: {
    holds: (seconds) => seconds === undefined || isCacheTime(seconds),
    must: `a whole number from 0 to ${MAX_CACHE_SECONDS}, or absent`,
  },
  retentionDays: {
    holds: (days) => days === undefined || isRetention(days),
    must: 'a whole number from 0 to 65535, or absent',
  },
  queryRecording: {
    holds: (recording) => recording === undefined || QUERY_RECORDINGS.some((one) => one === recording),
    must: '"full", "names" or "none", or absent',
  },
  rules: {
    holds: (rules) => rules === undefined || (Array.isArray(rules) && rules.every(isRuleDefinition)),
    must: 'a list of rules, each with every member there and of its type, or absent',
  },
};
const FIELD_RULES = Object.entries(FIELDS);

/**
 * `value`, a redirect with its rules.
 *
 * @throws when it is none, every member there and within its bounds; says of which host, and which field
 */
export function asRedirectDefinition(value: unknown): RedirectDefinition {
  if (!isRedirectDefinition(value)) throw new Error(faultOf(value));
  return value;
}

/** Whether `value` is built as a redirect with its rules. */
export function isRedirectDefinition(value: unknown): value is RedirectDefinition {
  return faultOf(value) === undefined;
}

/** What keeps `value` from being a redirect. */
function faultOf(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.host !== 'string') return 'a line of it is no redirect';
  const fault = FIELD_RULES.find(([field, { holds }]) => !holds(value[field]));
  if (fault === undefined) return undefined;
  const [field, { must }] = fault;
  const host = JSON.stringify(value.host.slice(0, SHOWN_CHARACTERS));
  return `the redirect of ${host} is refused: its ${field} must be ${must}`;
}

/** Returns whether the rate is one under which hits can be weighted correctly. */
function isShare(rate: unknown): boolean {
  return typeof rate === 'number' && rate >= 0 && rate <= 1;
}

function isCacheTime(seconds: unknown): boolean {
  return isCount(seconds) && seconds <= MAX_CACHE_SECONDS;
}

/** Hits carry it as 16 bits. */
function isRetention(days: unknown): boolean {
  return typeof days === 'number' && Number.isInteger(days) && days >= 0 && days <= 65_535;
}
