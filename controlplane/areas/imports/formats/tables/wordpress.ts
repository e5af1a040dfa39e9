import { fillDestination, literalDestination } from '../destination.js';
import { hostName, isAbsoluteUrl, readAddress } from '../host.js';
import type { ImportedRedirect, ImportFormat } from '../import-format.js';
import { type JsonRecord, jsonFormat, recordOf } from '../json-items.js';
import { forEach, type Outcome, refusal, skipped, statusCodeOf, taken, unfitStatus } from '../outcome.js';
import { decoded } from '../regex/query-regex.js';
import { literalSource, regexPaths } from '../regex/regex-paths.js';
import { type Cells, cellOf, tableFormat } from './table-format.js';

/** Exports of the WordPress plugin "Redirection": JSON, which begins with `{`, or CSV. */
export const wordpress: ImportFormat = {
  name: 'wordpress',
  async *read(text) {
    const pieces = text[Symbol.asyncIterator]();
    let head = '';
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      head += next.value;
      if (head.trim() !== '') break;
    }
    async function* whole(): AsyncGenerator<string> {
      try {
        yield head;
        for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
      } finally {
        await pieces.return?.();
      }
    }
    const isJson = /^\uFEFF?\s*[{[]/.test(head);
    yield* (isJson ? json : csv).read(whole());
  },
};

const csv = tableFormat('wordpress', {
  positions: ['source', 'target', 'regex', 'code', 'type', 'hits', 'title', 'status'],
  expected: 'source, target, regex, code',
  isHeader: (names) => names.includes('source') && names.includes('target'),
  read: (cells) => readRule(ruleOfCells(cells)),
  isOrdered: true,
});

/** A redirect of the WordPress plugin "Redirection". */
interface WordpressRule {
  readonly source: string;
  readonly target: string;
  readonly isRegex: boolean;
  readonly code: number;
  readonly type: string;
  readonly title: string;
  readonly isEnabled: boolean;
  /** Host of a rule for one server. */
  readonly host: string | null;
  readonly ignoresCase: boolean;
  /** Comparison of the end of the path, for rules without an expression. */
  readonly pathEnding: ImportedRedirect['pathEnding'];
  /** Null if the file does not say. */
  readonly queryForwarding: boolean | null;
}

/** Prefix that the plugin writes before a cell that a spreadsheet would evaluate. */
const FORMULA_MARK = /^\[FORMULA\] /;
/** Target that the plugin writes for redirects with conditions. Its CSV has no columns for these. */
const NO_TARGET = '/unknown';
/** Characters by which the plugin recognizes an expression in a file without the column `regex`. */
const REGEX_CHARACTERS = /[()[\]$^*]/;

function ruleOfCells(cells: Cells): WordpressRule {
  const textOfCell = (name: string) => cellOf(cells, [name]).replace(FORMULA_MARK, '');
  const code = textOfCell('code');
  const type = textOfCell('type');
  const regex = textOfCell('regex');
  const source = textOfCell('source');
  const target = textOfCell('target');
  if (target === NO_TARGET) {
    throw refusal(
      'The redirect has a condition that the CSV does not contain. Export JSON from the plugin, or write the target.',
      'destination',
    );
  }
  return {
    source,
    target,
    isRegex: regex === '' ? REGEX_CHARACTERS.test(source) : /^(?:1|true)$/i.test(regex),
    code: code === '' ? 301 : Number(code),
    type: type === '' ? (/^4/.test(code) ? 'error' : 'url') : type,
    title: textOfCell('title'),
    isEnabled: !/^(?:disabled|0|false)$/.test(cellOf(cells, ['status'])),
    host: null,
    ignoresCase: false,
    pathEnding: 'inherit',
    queryForwarding: null,
  };
}

const json = jsonFormat('wordpress', (document) => {
  const redirects = Array.isArray(document) ? document : recordOf(document)?.redirects;
  if (!Array.isArray(redirects)) {
    throw refusal('The file must be an object with the member "redirects".');
  }
  const disabled = disabledGroups(recordOf(document)?.groups);
  return redirects.map((item: unknown) => [item, (record) => readRecord(record, disabled)]);
});

function disabledGroups(groups: unknown): ReadonlySet<unknown> {
  const disabled = (Array.isArray(groups) ? groups : [])
    .map(recordOf)
    // Version 5.9 writes the status in place of `enabled`.
    .filter((group) => group?.enabled === false || group?.status === 'disabled');
  return new Set(disabled.map((group) => group?.id));
}

function readRecord(record: JsonRecord, disabled: ReadonlySet<unknown>): Outcome[] {
  if (disabled.has(record.group_id)) return [skipped('The group of the redirect is disabled.')];
  return readRule(ruleOf(record));
}

const ATTRIBUTES: Readonly<Record<string, string>> = {
  agent: 'user_agent',
  referrer: 'referrer',
  ip: 'ip_address',
  language: 'language',
};

function ruleOf(record: JsonRecord): WordpressRule {
  const matchType = record.match_type ?? 'url';
  if (matchType !== 'url' && matchType !== 'server') {
    const attribute = ATTRIBUTES[String(matchType)];
    const suggestion = attribute === undefined ? '' : ` Create a rule on ${attribute} instead.`;
    throw refusal(`Conditions of the type "${String(matchType).slice(0, 50)}" cannot be kept.${suggestion}`);
  }
  const data = recordOf(record.action_data);
  const flags = recordOf(recordOf(record.match_data)?.source);
  const host = matchType === 'server' ? hostName(textOf(data?.server).replace(/^https?:\/\//i, '')) : null;
  if (host === undefined) throw refusal('The server of the redirect must be a host.', 'host');
  const url = matchType === 'server' ? data?.url_from : (data?.url ?? record.action_data);
  return {
    source: textOf(record.url),
    target: textOf(url),
    isRegex: record.regex === true || record.regex === 1 || flags?.flag_regex === true,
    code: typeof record.action_code === 'number' ? record.action_code : Number(textOf(record.action_code)),
    type: textOf(record.action_type ?? 'url'),
    title: textOf(record.title),
    isEnabled: record.enabled !== false && record.status !== 'disabled',
    host,
    ignoresCase: flags?.flag_case === true,
    pathEnding: endingOf(flags?.flag_trailing),
    queryForwarding: flags?.flag_query === undefined ? null : flags.flag_query === 'pass',
  };
}

/** Reads `flag_trailing`. Without it, the plugin uses a setting that is not in the file. */
function endingOf(ignoresSlash: unknown): WordpressRule['pathEnding'] {
  if (ignoresSlash === undefined) return 'inherit';
  return ignoresSlash === true ? 'either' : 'exact';
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const MAX_NOTE_LENGTH = 500;

function readRule(rule: WordpressRule): Outcome[] {
  if (!rule.isEnabled) return [skipped('The redirect is disabled.')];
  if (rule.type !== 'url' && rule.type !== 'error') {
    throw refusal(
      `Actions of the type "${rule.type.slice(0, 50)}" are not available. Only "url" and "error" are.`,
    );
  }
  const statusCode = statusCodeOf(rule.code);
  if ((rule.type === 'error') !== (statusCode === 410)) throw unfitStatus(rule.code);
  const note = rule.title.slice(0, MAX_NOTE_LENGTH);
  const common = { host: rule.host, statusCode, note, queryForwarding: rule.queryForwarding };
  if (statusCode !== 410 && rule.target === '') throw refusal('The redirect has no target.', 'destination');
  return rule.isRegex ? regexOutcomes(rule, common) : [literalOutcome(rule, common)];
}

type Common = Pick<ImportedRedirect, 'host' | 'statusCode' | 'note' | 'queryForwarding'>;

function literalOutcome(rule: WordpressRule, common: Common): Outcome {
  const { source } = rule;
  const address = isAbsoluteUrl(source) ? readAddress(source) : undefined;
  if (address?.hasPort || (address === undefined && !source.startsWith('/'))) {
    throw refusal('The source must be a path that starts with "/".', 'path');
  }
  const whole =
    (address === undefined ? source : source.replace(/^https?:\/\/[^/?#]*/i, '')).split('#')[0] ?? '';
  const [path = '', query] = whole.split(/\?(.*)/s);
  const literal = literalSource(path === '' ? '/' : path);
  return taken({
    ...common,
    host: common.host ?? address?.host ?? null,
    path: literal,
    pathEnding: rule.pathEnding,
    ignoresCase: rule.ignoresCase && literal.toLowerCase() !== literal.toUpperCase(),
    query: query === undefined || query === '' ? null : conditionsOf(query),
    destination: literalDestination(rule.target),
  });
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
function regexOutcomes(rule: WordpressRule, common: Common): Outcome[] {
  const paths = regexPaths(rule.source, { isRaw: true, ignoresCase: rule.ignoresCase });
  const parts = [...rule.target.matchAll(/\$(\d)|[^$]+|\$/g)].map(([found, group]) =>
    group === undefined ? { text: found } : { capture: group },
  );
  const last = parts.at(-1);
  return forEach([common.host], paths, (_, one) => {
    const destination = fillDestination(parts, one);
    const holdsQuery = (part: (typeof parts)[number]) =>
      part.capture !== undefined && /(?:\*|:p\d+)$/.test(one.captures.get(part.capture) ?? '');
    const forwards = last !== undefined && holdsQuery(last) && !destination.includes('?');
    if (!forwards && parts.some(holdsQuery)) {
      throw refusal('The group also holds the query. Put it at the end of the target.', 'destination');
    }
    return taken({
      ...common,
      path: one.path,
      pathEnding: one.ending,
      ignoresCase: one.ignoresCase ?? false,
      destination,
      queryForwarding: forwards ? true : common.queryForwarding,
    });
  });
}
