import { fillDestination, literalDestination } from '../destination.js';
import { isAbsoluteUrl, readAddress } from '../host.js';
import type { ImportedRedirect } from '../import-format.js';
import { failed, isRefusal, type Outcome, type Refusal, refused, skipped, taken } from '../outcome.js';
import { statusCodeOf, unfitStatus } from '../redirect-status.js';
import { decoded } from '../regex/query-regex.js';
import { literalSource, regexPaths } from '../regex/regex-paths.js';

/** A redirect of the WordPress plugin "Redirection". */
export interface WordpressRule {
  readonly source: string;
  readonly target: string;
  readonly isRegex: boolean;
  readonly code: number;
  readonly type: string;
  readonly title: string;
  readonly isEnabled: boolean;
  /** Host of a rule that is for one server. */
  readonly host: string | null;
  readonly ignoresCase: boolean;
  /** Comparison of the end of a path, of a rule that is no expression. */
  readonly pathEnding: ImportedRedirect['pathEnding'];
  /** Null where the file does not say. */
  readonly queryForwarding: boolean | null;
}

const MAX_NOTE_LENGTH = 500;

export function readRule(rule: WordpressRule): Outcome[] {
  if (!rule.isEnabled) return [skipped('The redirect is disabled.')];
  if (rule.type !== 'url' && rule.type !== 'error') {
    const message = `Actions of the type "${rule.type.slice(0, 50)}" are not available. Only "url" and "error" are.`;
    return [failed(message)];
  }
  const statusCode = statusCodeOf(rule.code);
  if (statusCode === undefined || (rule.type === 'error') !== (statusCode === 410))
    return [unfitStatus(rule.code)];
  const note = rule.title.slice(0, MAX_NOTE_LENGTH);
  const common = { host: rule.host, statusCode, note, queryForwarding: rule.queryForwarding };
  if (statusCode !== 410 && rule.target === '') return [failed('The redirect has no target.', 'destination')];
  const outcomes = rule.isRegex ? regexOutcomes(rule, common) : literalOutcome(rule, common);
  return isRefusal(outcomes) ? [refused(outcomes)] : outcomes;
}

type Common = {
  readonly host: string | null;
  readonly statusCode: 301 | 302 | 307 | 308 | 410;
  readonly note: string;
  readonly queryForwarding: boolean | null;
};

function literalOutcome(rule: WordpressRule, common: Common): Outcome[] | Refusal {
  const { source } = rule;
  const address = isAbsoluteUrl(source) ? readAddress(source) : undefined;
  if (address?.hasPort || (address === undefined && !source.startsWith('/'))) {
    return { refusal: 'The source must be a path that starts with "/".', field: 'path' };
  }
  const whole =
    (address === undefined ? source : source.replace(/^https?:\/\/[^/?#]*/i, '')).split('#')[0] ?? '';
  const [path = '', query] = whole.split(/\?(.*)/s);
  const literal = literalSource(path === '' ? '/' : path);
  if (isRefusal(literal)) return literal;
  return [
    taken({
      ...common,
      host: common.host ?? address?.host ?? null,
      path: literal,
      pathEnding: rule.pathEnding,
      ignoresCase: rule.ignoresCase && literal.toLowerCase() !== literal.toUpperCase(),
      query: query === undefined || query === '' ? null : conditionsOf(query),
      destination: common.statusCode === 410 ? null : literalDestination(rule.target),
    }),
  ];
}

function conditionsOf(query: string): Record<string, string> {
  return Object.fromEntries(
    query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', value = ''] = pair.split(/=(.*)/s);
        return [decoded(name), decoded(value)];
      }),
  );
}

/** The plugin compares expressions with path and query. */
function regexOutcomes(rule: WordpressRule, common: Common): Outcome[] | Refusal {
  const paths = regexPaths(rule.source, { isRaw: true, ignoresCase: rule.ignoresCase });
  if (isRefusal(paths)) return paths;
  const parts = [...rule.target.matchAll(/\$(\d)|[^$]+|\$/g)].map(([found, group]) =>
    group === undefined ? { text: found } : { capture: group },
  );
  const last = parts.at(-1);
  return paths.map((one) => {
    const destination = fillDestination(parts, one);
    if (isRefusal(destination)) return refused(destination);
    const holdsQuery = (part: (typeof parts)[number]) =>
      part.capture !== undefined && /(?:\*|:p\d+)$/.test(one.captures.get(part.capture) ?? '');
    const forwards = last !== undefined && holdsQuery(last) && !destination.includes('?');
    if (!forwards && parts.some(holdsQuery)) {
      return failed('The group also holds the query. Put it at the end of the target.', 'destination');
    }
    return taken({
      ...common,
      path: one.path,
      pathEnding: one.ending,
      ignoresCase: one.ignoresCase ?? false,
      destination: common.statusCode === 410 ? null : destination,
      queryForwarding: forwards ? true : common.queryForwarding,
    });
  });
}
