import { hostName } from '../host.js';
import type { ImportFormat } from '../import-format.js';
import { jsonFormat, notAnObject, type ReadItem, recordOf } from '../json-items.js';
import { OrderedPaths } from '../ordered-paths.js';
import { isRefusal, type Outcome, type Refusal, refused, skipped } from '../outcome.js';
import { type Cells, cellOf, tableFormat } from './table-format.js';
import { readRule, type WordpressRule } from './wordpress-rule.js';

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
  createReader: () => {
    const order = new OrderedPaths();
    return (cells, row) => {
      const rule = ruleOfCells(cells);
      const outcomes = isRefusal(rule) ? [refused(rule)] : readRule(rule);
      return outcomes.map((outcome) => order.place(outcome, row));
    };
  },
});

/** The plugin writes this before a cell that a spreadsheet would calculate. */
const FORMULA_MARK = /^\[FORMULA\] /;
/** Target that the plugin writes for redirects with conditions. Its CSV has no columns for these. */
const NO_TARGET = '/unknown';
/** Characters by which the plugin knows an expression in a file without the column `regex`. */
const REGEX_CHARACTERS = /[()[\]$^*]/;

function ruleOfCells(cells: Cells): WordpressRule | Refusal {
  const textOfCell = (name: string) => cellOf(cells, [name]).replace(FORMULA_MARK, '');
  const code = textOfCell('code');
  const type = textOfCell('type');
  const regex = textOfCell('regex');
  const source = textOfCell('source');
  const target = textOfCell('target');
  if (target === NO_TARGET) {
    return {
      refusal:
        'The redirect has a condition that the CSV does not contain. Export JSON from the plugin, or write the target.',
      field: 'destination',
    };
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
  if (!Array.isArray(redirects))
    return { refusal: 'The file must be an object with the member "redirects".' };
  return itemsOf(redirects, disabledGroups(recordOf(document)?.groups));
});

function disabledGroups(groups: unknown): ReadonlySet<unknown> {
  const disabled = (Array.isArray(groups) ? groups : [])
    .map(recordOf)
    // Version 5.9 writes the status in place of `enabled`.
    .filter((group) => group?.enabled === false || group?.status === 'disabled');
  return new Set(disabled.map((group) => group?.id));
}

function* itemsOf(redirects: readonly unknown[], disabled: ReadonlySet<unknown>): Iterable<ReadItem> {
  const order = new OrderedPaths();
  for (const [index, item] of redirects.entries()) {
    const record = recordOf(item);
    const outcomes = record === undefined ? [notAnObject()] : outcomesOf(record, disabled);
    yield { item, outcomes: outcomes.map((outcome) => order.place(outcome, index + 1)) };
  }
}

function outcomesOf(record: Readonly<Record<string, unknown>>, disabled: ReadonlySet<unknown>): Outcome[] {
  if (disabled.has(record.group_id)) return [skipped('The group of the redirect is disabled.')];
  const rule = ruleOf(record);
  return isRefusal(rule) ? [refused(rule)] : readRule(rule);
}

const ATTRIBUTES: Readonly<Record<string, string>> = {
  agent: 'user_agent',
  referrer: 'referrer',
  ip: 'ip_address',
  language: 'language',
};

function ruleOf(record: Readonly<Record<string, unknown>>): WordpressRule | Refusal {
  const matchType = record.match_type ?? 'url';
  if (matchType !== 'url' && matchType !== 'server') {
    const attribute = ATTRIBUTES[String(matchType)];
    const suggestion = attribute === undefined ? '' : ` Create a rule on ${attribute} instead.`;
    return {
      refusal: `Conditions of the type "${String(matchType).slice(0, 50)}" cannot be kept.${suggestion}`,
    };
  }
  const data = recordOf(record.action_data);
  const flags = recordOf(recordOf(record.match_data)?.source);
  const host = matchType === 'server' ? hostName(textOf(data?.server).replace(/^https?:\/\//i, '')) : null;
  if (host === undefined) return { refusal: 'The server of the redirect must be a host.', field: 'host' };
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
