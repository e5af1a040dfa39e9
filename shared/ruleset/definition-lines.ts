import { isId, MAX_ID_LENGTH } from '../hits/batch-bounds.js';
import { isObject } from '../rules/is-object.js';
import { isRuleDefinition } from '../rules/rule-structure.js';
import { isCount } from './count.js';
import { type FieldRule, OPTION_FIELDS } from './option-fields.js';
import { MAX_CACHE_SECONDS, QUERY_RECORDINGS, type RedirectDefinition } from './redirect-definition.js';

/** Maximum length of a host in a message. No valid host is longer. */
const SHOWN_CHARACTERS = 255;

const TEXT: FieldRule = { holds: (value) => typeof value === 'string', must: 'a text' };
const SWITCH: FieldRule = { holds: (value) => typeof value === 'boolean', must: 'true or false' };

type OptionalField = {
  [Field in keyof RedirectDefinition]-?: undefined extends RedirectDefinition[Field] ? Field : never;
}[keyof RedirectDefinition];

const REQUIRED: Readonly<Record<Exclude<keyof RedirectDefinition, OptionalField>, FieldRule>> = {
  host: TEXT,
  // A batch of hits with an invalid id would be refused as a whole.
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
};

const OPTIONAL: Readonly<Record<OptionalField, FieldRule>> = {
  cacheSeconds: {
    holds: isCacheTime,
    must: `a whole number from 0 to ${MAX_CACHE_SECONDS}, or absent`,
  },
  retentionDays: {
    holds: isRetention,
    must: 'a whole number from 0 to 65535, or absent',
  },
  queryRecording: {
    holds: (recording) => QUERY_RECORDINGS.some((one) => one === recording),
    must: '"full", "names" or "none", or absent',
  },
  rules: {
    holds: (rules) => Array.isArray(rules) && rules.every(isRuleDefinition),
    must: 'a list of rules, each with every member there and of its type, or absent',
  },
  ...OPTION_FIELDS,
};

const REQUIRED_RULES = Object.entries(REQUIRED);
const OPTIONAL_RULES: ReadonlyMap<string, FieldRule> = new Map(Object.entries(OPTIONAL));

/**
 * Returns `value` as a redirect with its rules.
 *
 * @throws when a member is missing or out of bounds; the message names host and field
 */
export function asRedirectDefinition(value: unknown): RedirectDefinition {
  if (!isRedirectDefinition(value)) throw new Error(faultOf(value));
  return value;
}

/** Returns whether `value` has the structure of a redirect with its rules. */
export function isRedirectDefinition(value: unknown): value is RedirectDefinition {
  return faultOf(value) === undefined;
}

/** Returns why `value` is not a redirect. */
function faultOf(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.host !== 'string') return 'a line of it is no redirect';
  const missing = REQUIRED_RULES.find(([field, { holds }]) => !holds(value[field]));
  if (missing !== undefined) return refusalOf(value.host, ...missing);
  // A data plane checks a million redirects at its start. Absent members take no time.
  for (const field in value) {
    const rule = OPTIONAL_RULES.get(field);
    if (rule === undefined || value[field] === undefined) continue;
    if (!rule.holds(value[field])) return refusalOf(value.host, field, rule);
  }
  return undefined;
}

function refusalOf(host: string, field: string, { must }: FieldRule): string {
  const shownHost = JSON.stringify(host.slice(0, SHOWN_CHARACTERS));
  return `the redirect of ${shownHost} is refused: its ${field} must be ${must}`;
}

/** Returns whether hits can be weighted correctly with this rate. */
function isShare(rate: unknown): boolean {
  return typeof rate === 'number' && rate >= 0 && rate <= 1;
}

function isCacheTime(seconds: unknown): boolean {
  return isCount(seconds) && seconds <= MAX_CACHE_SECONDS;
}

/** Hits store it as 16 bits. */
function isRetention(days: unknown): boolean {
  return typeof days === 'number' && Number.isInteger(days) && days >= 0 && days <= 65_535;
}
