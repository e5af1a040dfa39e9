import type { QueryConditions } from '../../../../../shared/paths/path-entry.js';
import { hostName } from '../host.js';
import { refusal, type Unread } from '../outcome.js';
import { NO_CAPTURES } from '../path-scope.js';
import { queryCondition } from '../regex/query-regex.js';
import { type RegexHost, regexHosts } from '../regex/regex-hosts.js';

/** One `RewriteCond`. */
export interface RewriteCondition {
  readonly test: string;
  readonly pattern: string;
  readonly ignoresCase: boolean;
  readonly isAlternative: boolean;
}

/** Requirements of a rule's conditions. */
export interface RuleConditions {
  /** Undefined if any host matches. */
  readonly hosts: readonly RegexHost[] | undefined;
  readonly query: QueryConditions | null;
  /** Expression that the whole path must match. */
  readonly uri: { readonly expression: string; readonly ignoresCase: boolean } | undefined;
  /** Texts of `%1` and further groups of a condition on the query. */
  readonly captures: ReadonlyMap<string, string>;
}

const UPGRADES = /^%\{(?:HTTPS|SERVER_PORT|REQUEST_SCHEME|HTTP:X-Forwarded-Proto|HTTP:X-Forwarded-SSL)\}$/i;
const ATTRIBUTES: Readonly<Record<string, string>> = {
  '%{HTTP_USER_AGENT}': 'user_agent',
  '%{HTTP_REFERER}': 'referrer',
  '%{REMOTE_ADDR}': 'ip_address',
  '%{HTTP:ACCEPT-LANGUAGE}': 'language',
  '%{HTTP_ACCEPT_LANGUAGE}': 'language',
};

/** Joins the conditions of a rule. @throws {Unread} when Waymark cannot express them */
export function joinConditions(conditions: readonly RewriteCondition[]): RuleConditions {
  let joined: RuleConditions = { hosts: undefined, query: null, uri: undefined, captures: NO_CAPTURES };
  let alternatives: RegexHost[] = [];
  for (const [index, condition] of conditions.entries()) {
    const continues = conditions[index - 1]?.isAlternative === true;
    if (isHostTest(condition)) {
      const hosts = hostsOf(condition);
      alternatives = continues ? [...alternatives, ...hosts] : [...hosts];
      if (!continues && joined.hosts !== undefined) {
        throw refusal('Two conditions on the host cannot both be kept.');
      }
      if (!condition.isAlternative) joined = { ...joined, hosts: alternatives, captures: NO_CAPTURES };
      else if (!isHostTest(conditions[index + 1])) throw mixed();
    } else if (condition.isAlternative || continues) throw mixed();
    else joined = withCondition(joined, condition);
  }
  return joined;
}

function isHostTest(condition: RewriteCondition | undefined): boolean {
  return condition !== undefined && /^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(condition.test);
}

function mixed(): Unread {
  return refusal(
    'Conditions joined by [OR] are read only if all are on HTTP_HOST. Write one rule for each condition.',
  );
}

function hostsOf({ pattern }: RewriteCondition): readonly RegexHost[] {
  if (pattern.startsWith('!')) {
    throw refusal('A condition that excludes a host cannot be kept. Name the hosts to redirect.', 'host');
  }
  if (!pattern.startsWith('=')) return regexHosts(pattern);
  const host = hostName(pattern.slice(1));
  if (host === undefined) throw refusal(`"${pattern.slice(1)}" is no host.`, 'host');
  return [{ host, captures: NO_CAPTURES }];
}

function withCondition(joined: RuleConditions, condition: RewriteCondition): RuleConditions {
  const { test, pattern, ignoresCase } = condition;
  if (/^%\{REQUEST_FILENAME\}$/i.test(test) && /^!-[fdls]$/.test(pattern)) return joined;
  if (/^%\{REQUEST_URI\}$/i.test(test) && !/^[!=<>]|^-[a-zA-Z]/.test(pattern)) {
    if (joined.uri !== undefined) throw refusal('Two conditions on the path cannot both be kept.');
    return { ...joined, uri: { expression: pattern, ignoresCase }, captures: NO_CAPTURES };
  }
  if (/^%\{QUERY_STRING\}$/i.test(test)) {
    const { query, captures } = queryCondition(pattern);
    return { ...joined, query: { ...joined.query, ...query }, captures };
  }
  if (UPGRADES.test(test)) {
    throw refusal(
      'Rules on HTTPS are not entries. Set httpsMode of the redirect to "upgrade", and remove the condition to keep the rule.',
    );
  }
  const attribute = ATTRIBUTES[test.toUpperCase()];
  const suggestion = attribute === undefined ? '' : ` Create a rule on ${attribute} instead.`;
  throw refusal(`The condition on ${test} cannot be kept.${suggestion}`);
}
