import { hostName } from '../host.js';
import { isRefusal, type Refusal } from '../outcome.js';
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
  /** Undefined where any host may be asked for. */
  readonly hosts: readonly RegexHost[] | undefined;
  readonly query: Readonly<Record<string, string | boolean>> | null;
  /** Expression that the whole path must match. */
  readonly uri: { readonly expression: string; readonly ignoresCase: boolean } | undefined;
  /** Texts of `%1` and the like, as far as they are of the query. */
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

/** Joins the conditions of a rule, or returns why they cannot be kept. */
export function joinConditions(conditions: readonly RewriteCondition[]): RuleConditions | Refusal {
  let joined: RuleConditions = { hosts: undefined, query: null, uri: undefined, captures: new Map() };
  let alternatives: RegexHost[] = [];
  for (const [index, condition] of conditions.entries()) {
    const isHost = /^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(condition.test);
    const continues = index > 0 && conditions[index - 1]?.isAlternative === true;
    if (isHost) {
      const hosts = hostsOf(condition);
      if (isRefusal(hosts)) return hosts;
      alternatives = continues ? [...alternatives, ...hosts] : [...hosts];
      if (!continues && joined.hosts !== undefined)
        return { refusal: 'Two conditions on the host cannot both be kept.' };
      if (!condition.isAlternative) joined = { ...joined, hosts: alternatives, captures: new Map() };
      else if (conditions[index + 1] === undefined || !isHostTest(conditions[index + 1])) return mixed();
      continue;
    }
    if (condition.isAlternative || continues) return mixed();
    const next = withCondition(joined, condition);
    if (isRefusal(next)) return next;
    joined = next;
  }
  return joined;
}

function isHostTest(condition: RewriteCondition | undefined): boolean {
  return condition !== undefined && /^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(condition.test);
}

function mixed(): Refusal {
  return {
    refusal:
      'Conditions joined by [OR] are read only if all are on HTTP_HOST. Write one rule for each condition.',
  };
}

function hostsOf({ pattern }: RewriteCondition): readonly RegexHost[] | Refusal {
  if (pattern.startsWith('!')) {
    return {
      refusal: 'A condition that excludes a host cannot be kept. Name the hosts to redirect.',
      field: 'host',
    };
  }
  if (!pattern.startsWith('=')) return regexHosts(pattern);
  const host = hostName(pattern.slice(1));
  return host === undefined
    ? { refusal: `"${pattern.slice(1)}" is no host.`, field: 'host' }
    : [{ host, captures: new Map() }];
}

function withCondition(joined: RuleConditions, condition: RewriteCondition): RuleConditions | Refusal {
  const { test, pattern, ignoresCase } = condition;
  if (/^%\{REQUEST_FILENAME\}$/i.test(test) && /^!-[fdls]$/.test(pattern)) return joined;
  if (/^%\{REQUEST_URI\}$/i.test(test) && !/^[!=<>]|^-[a-zA-Z]/.test(pattern)) {
    if (joined.uri !== undefined) return { refusal: 'Two conditions on the path cannot both be kept.' };
    return { ...joined, uri: { expression: pattern, ignoresCase }, captures: new Map() };
  }
  if (/^%\{QUERY_STRING\}$/i.test(test)) {
    const condition = queryCondition(pattern);
    if (isRefusal(condition)) return condition;
    return {
      ...joined,
      query: { ...joined.query, ...condition.query },
      captures: condition.captures,
    };
  }
  if (UPGRADES.test(test)) {
    return {
      refusal:
        'Rules on HTTPS are not entries. Set httpsMode of the redirect to "upgrade", and remove the condition to keep the rule.',
    };
  }
  const attribute = ATTRIBUTES[test.toUpperCase()];
  return {
    refusal:
      attribute === undefined
        ? `The condition on ${test} cannot be kept.`
        : `The condition on ${test} cannot be kept. Create a rule on ${attribute} instead.`,
  };
}
