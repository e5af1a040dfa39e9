import { isIP } from 'node:net';
import { parse } from 'tldts';
import { domainsOfHost, hostOf, MAX_HOST_LENGTH } from '../../visitor/referrer-domain.js';
import type { Operator } from '../attributes.js';
import type { ConditionValue, RuleCondition } from '../rule-definition.js';
import type { ConditionFault, ConditionResult } from './condition-result.js';

const SCHEME = /^https?:\/\//i;
/** Matches a host without port, path and user info. An IPv6 address needs brackets. */
const HOST_ALONE = /^(?:[^\s/?#@:[\]\\]+|\[[^\s/?#@\]]+\])$/;

const EQUALITY: readonly Operator[] = ['equals', 'not_equals', 'in', 'not_in'];

/**
 * Normalises a condition on `referrer_domain`: its values become domains that visitors can have. Removes a scheme,
 * `www.` and a trailing slash. Refuses texts that cannot be a host or domain of a referrer. Keeps valid domains
 * unchanged, and also values of operators that compare parts of a domain.
 */
export function withReferrerDomains(condition: RuleCondition): ConditionResult {
  const { operator, value } = condition;
  if (value === undefined || !EQUALITY.includes(operator)) return { ok: true, condition };
  if (typeof value !== 'object') {
    const read = readDomain(value, 'value');
    return typeof read === 'string' ? { ok: true, condition: { ...condition, value: read } } : refused(read);
  }
  const domains: string[] = [];
  for (const [index, entry] of value.entries()) {
    const read = readDomain(entry, `value.${index}`);
    if (typeof read !== 'string') return refused(read);
    domains.push(read);
  }
  return { ok: true, condition: { ...condition, value: domains } };
}

function refused(fault: ConditionFault): ConditionResult {
  return { ok: false, ...fault };
}

/** Returns the domain of `value`, or its fault. */
function readDomain(value: ConditionValue, path: string): string | ConditionFault {
  const given = String(value).trim();
  const host = hostIn(given);
  if (host === undefined || host.length > MAX_HOST_LENGTH) return { path, message: EXPECTED };
  const { domain, isIcann } = parse(host, { extractHostname: false });
  if (domain === null && isIcann === true) {
    return {
      path,
      message: `${EXPECTED} ${host} is no domain of anybody's: domains are registered below it.`,
    };
  }
  const [name = host] = domainsOfHost(host);
  return given.toLowerCase() === name ? given : name;
}

const EXPECTED =
  'value must be the host or a domain of a referrer, such as "news.google.com" or "google.com".';

/** Returns the host of a text that may have a scheme before it and a slash after it. */
export function hostIn(text: string): string | undefined {
  const bare = text.replace(SCHEME, '').replace(/\/$/, '');
  const name = isIP(bare) === 6 ? `[${bare}]` : bare;
  return HOST_ALONE.test(name) ? hostOf(`http://${name}/`) : undefined;
}
