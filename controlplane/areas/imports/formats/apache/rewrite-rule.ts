import { fillDestination } from '../destination.js';
import { isAbsoluteUrl } from '../host.js';
import type { ImportedRedirect } from '../import-format.js';
import {
  answered,
  forEach,
  type Outcome,
  refusal,
  skipped,
  statusCodeOf,
  taken,
  unlessUnread,
  withRemark,
} from '../outcome.js';
import { NO_CAPTURES, type ScopeHost } from '../path-scope.js';
import { everyPath, type RegexPath, type RegexSubject, regexPaths } from '../regex/regex-paths.js';
import { BEHIND_FRAGMENT } from './alias-directives.js';
import { joinConditions, type RewriteCondition, type RuleConditions } from './rewrite-conditions.js';
import { readSubstitution, type Substitution } from './substitution.js';

/** Context of a rule in the file. */
export interface RulePlace {
  /** Path of the folder of the `.htaccess`; undefined in the configuration of a server. */
  readonly folder: string | undefined;
  /** Whether the file sets the folder with `RewriteBase`. */
  readonly hasBase: boolean;
  /** Hosts of the virtual host; null if the file names none. */
  readonly hosts: readonly (string | null)[];
}

/** Reads a `RewriteRule` with the conditions before it. */
export function readRewriteRule(
  words: readonly string[],
  conditions: readonly RewriteCondition[],
  place: RulePlace,
): Outcome[] {
  const [, pattern = '', substitution = '', flagText = '', ...more] = words;
  if (substitution === '' || more.length > 0) {
    throw refusal('RewriteRule takes a pattern, a destination and flags. Put quotes around spaces.');
  }
  const flags = readFlags(flagText);
  const status = flags.isGone ? 410 : (flags.status ?? (isAbsoluteUrl(substitution) ? 302 : undefined));
  if (flags.isForbidden) return [answered('The rule forbids requests and is no redirect.')];
  if (substitution === '-' && flags.isLast && status !== 410) {
    return [answered('The rule ends the rules for some requests and is no redirect.')];
  }
  if (status === undefined || (substitution === '-' && status !== 410)) {
    return [skipped('The rule rewrites within the server and is no redirect.')];
  }
  const statusCode = statusCodeOf(status);
  const joined = joinConditions(conditions);
  const paths = pathsOf(pattern, flags, joined, place);
  const hosts: readonly ScopeHost[] =
    joined.hosts ?? place.hosts.map((host) => ({ host, captures: NO_CAPTURES }));
  return forEach(hosts, paths, (host, path) =>
    redirectOf({ path, host, joined, flags, statusCode, substitution, place }),
  );
}

/** Returns the paths that a rule without conditions rewrites internally. */
export function rewrittenPaths(
  [, pattern = '', substitution = '', flagText = '']: readonly string[],
  conditions: readonly RewriteCondition[],
  { folder }: RulePlace,
): readonly string[] {
  const isRewrite = substitution !== '' && substitution !== '-' && !isAbsoluteUrl(substitution);
  if (conditions.length > 0 || !isRewrite || pattern.startsWith('!')) return [];
  // A segment that may be empty counts as a non-empty one.
  const expression = pattern.replace(/\[\^\\?\/\]\*/g, '[^/]+');
  return unlessUnread(
    () => {
      const { status, isGone, isForbidden } = readFlags(flagText);
      if (status !== undefined || isGone || isForbidden) return [];
      return regexPaths(expression, folder === undefined ? {} : { folder }).map(({ path }) => path);
    },
    () => [],
  );
}

/** Returns the patterns of a rule, or of its condition on the whole path. */
function pathsOf(
  pattern: string,
  { ignoresCase }: RewriteFlags,
  { uri }: RuleConditions,
  { folder }: RulePlace,
): readonly RegexPath[] {
  if (pattern.startsWith('!')) {
    throw refusal('A pattern that excludes paths cannot be kept. Write the paths to redirect.', 'path');
  }
  const subject: RegexSubject = { ignoresCase, ...(folder !== undefined && { folder }) };
  if (uri === undefined) return regexPaths(pattern, subject);
  if (everyPath(pattern, subject) === undefined) {
    throw refusal(
      'A pattern and a condition on REQUEST_URI cannot both be kept. Write them as one pattern.',
      'path',
    );
  }
  const paths = regexPaths(uri.expression, { ignoresCase: uri.ignoresCase });
  return paths.map(({ path, ending, captures, ignoresCase: isCaseless = false }) => ({
    path,
    ending,
    ignoresCase: isCaseless,
    captures: new Map<string, string>([
      ...[...captures].map(([name, text]) => [`%${name}`, text] as const),
      ['1', folder === undefined ? path : path.slice(1)],
    ]),
  }));
}

interface RuleRedirect {
  readonly path: RegexPath;
  readonly host: ScopeHost;
  readonly joined: RuleConditions;
  readonly flags: RewriteFlags;
  readonly statusCode: ImportedRedirect['statusCode'];
  readonly substitution: string;
  readonly place: RulePlace;
}

function redirectOf(rule: RuleRedirect): Outcome {
  const { path, joined, statusCode, flags } = rule;
  const common = {
    host: rule.host.host,
    path: path.path,
    pathEnding: path.ending,
    query: joined.query,
    ignoresCase: path.ignoresCase ?? false,
    statusCode,
  };
  if (statusCode === 410) return taken(common);
  const substitution = readSubstitution(rule.substitution, rule.host.host, flags.isEscaped);
  const destination = destinationOf(substitution, rule);
  if (destination === path.path) {
    throw refusal(
      'The rule leads to the same address, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
      'destination',
    );
  }
  const queryForwarding = forwardsQuery(substitution, flags);
  const outcome = taken({ ...common, destination, queryForwarding });
  const remarks = [
    ...(flags.isLast ? [] : [WITHOUT_LAST]),
    ...(queryForwarding && destination.includes('#') ? [BEHIND_FRAGMENT] : []),
    ...(queryForwarding && substitution.hasQuery && flags.appendsQuery ? [ESCAPED_AGAIN] : []),
    ...(isRelative(substitution) && !rule.place.hasBase ? [WITHOUT_BASE] : []),
  ];
  return remarks.reduce(withRemark, outcome);
}

const WITHOUT_LAST = 'Without [L], Apache applies the rules that follow to the result. Waymark does not.';
const WITHOUT_BASE =
  'Without RewriteBase, Apache may write the folder on its disk before the destination. Waymark writes "/".';

/** Returns whether a destination is neither a URL nor a path from the root. */
function isRelative({ parts: [first], isSameHost }: Substitution): boolean {
  return (
    !isSameHost && first !== undefined && 'text' in first && !/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(first.text)
  );
}

const ESCAPED_AGAIN =
  'Apache escapes the query of the request a second time with [QSA]. Waymark keeps its bytes.';

function destinationOf({ parts, isSameHost }: Substitution, rule: RuleRedirect): string {
  const captures = new Map<string, string>([
    ...rule.path.captures,
    ['0', withoutFolder(rule.path.path, rule.place.folder)],
    ...[...rule.joined.captures, ...rule.host.captures].map(([name, text]) => [`%${name}`, text] as const),
  ]);
  const unknown = parts.find(
    (part) => 'capture' in part && part.capture.startsWith('%') && !captures.has(part.capture),
  );
  if (unknown !== undefined && 'capture' in unknown) {
    throw refusal(
      `${unknown.capture} takes a part of a condition that cannot be kept. Write its value.`,
      'destination',
    );
  }
  const filled = fillDestination(parts, { path: rule.path.path, captures });
  if (isSameHost || isAbsoluteUrl(filled) || filled.startsWith('/')) return filled;
  if (/^[a-z][a-z0-9+.-]*:/i.test(filled)) {
    throw refusal('destination must be an http or https URL, or a path.', 'destination');
  }
  return (rule.place.folder ?? '/') + filled;
}

function withoutFolder(path: string, folder: string | undefined): string {
  return folder !== undefined && path.startsWith(folder) ? path.slice(folder.length) : path;
}

function forwardsQuery({ hasQuery, ending }: Substitution, flags: RewriteFlags): boolean {
  if (flags.dropsQuery) return false;
  if (ending !== undefined) return ending === 'forwarded' || flags.appendsQuery;
  return !hasQuery || flags.appendsQuery;
}

/** Flags of a `RewriteRule` that matter to redirects. */
interface RewriteFlags {
  /** Status of the redirect; undefined for a rewrite within the server. */
  readonly status: number | undefined;
  readonly isGone: boolean;
  readonly isForbidden: boolean;
  /** Whether later rules are skipped. */
  readonly isLast: boolean;
  readonly ignoresCase: boolean;
  readonly isEscaped: boolean;
  readonly appendsQuery: boolean;
  readonly dropsQuery: boolean;
}

const WORDS: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303 };
const HARMLESS = new Set(['dpi', 'discardpath', 'e', 'env', 'bnp', 'nosubreq', 'ns']);
const DEFAULT_STATUS = 302;

/** Reads `[R=301,L]`. @throws {Unread} for a flag that is not available */
function readFlags(text: string): RewriteFlags {
  const flags = {
    status: undefined as number | undefined,
    isGone: false,
    isForbidden: false,
    isLast: false,
    ignoresCase: false,
    isEscaped: true,
    appendsQuery: false,
    dropsQuery: false,
  };
  for (const flag of text.replace(/^\[|\]$/g, '').split(',')) {
    const [name = '', value = ''] = flag.trim().split('=');
    const key = name.toLowerCase();
    if (key === 'r' || key === 'redirect') flags.status = statusOf(value);
    else if (key === 'g' || key === 'gone') flags.isGone = true;
    else if (key === 'f' || key === 'forbidden') flags.isForbidden = true;
    else if (key === 'l' || key === 'last' || key === 'end') flags.isLast = true;
    else if (key === 'nc' || key === 'nocase') flags.ignoresCase = true;
    else if (key === 'ne' || key === 'noescape') flags.isEscaped = false;
    else if (key === 'qsa' || key === 'qsappend') flags.appendsQuery = true;
    else if (key === 'qsd' || key === 'qsdiscard') flags.dropsQuery = true;
    else if (key !== '' && !HARMLESS.has(key)) {
      throw refusal(`The flag [${name}] is not available. Write the rule without it.`);
    }
  }
  return flags;
}

function statusOf(value: string): number {
  if (value === '') return DEFAULT_STATUS;
  return WORDS[value.toLowerCase()] ?? Number(value);
}
