import type { PathOptions } from '../../../shared/paths/path-entry.js';
import { compareShapes, shapeOf } from '../../../shared/paths/path-key.js';
import { readSource } from '../../../shared/paths/path-source.js';
import {
  compareConditions,
  endingMark,
  packConditions,
  withEndingMark,
} from '../../../shared/paths/query-conditions.js';
import { csvLine } from '../../http/csv.js';
import type { Redirect } from '../redirects/public.js';
import { type ExportedRule, exportedRule } from './exported-rule.js';
import { ENTRY_COLUMNS } from './path-file.js';
import type { EntrySettings, StoredEntry } from './path-table.js';
import { caddyFile, netlifyFile, nginxFile, type RuleFile } from './rule-files.js';

export const EXPORT_FORMATS = ['csv', 'json', 'nginx', 'netlify', 'caddy'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A table to export. */
export interface ExportedTable {
  readonly redirect: Pick<Redirect, 'fromDomain' | 'toDomain' | 'queryForwarding'>;
  readonly options: PathOptions;
  /** Reads all entries from the start, a page at a time. */
  pages(): AsyncIterable<readonly StoredEntry[]>;
}

type Write = (table: ExportedTable) => AsyncIterable<Buffer>;

export const WRITERS: Readonly<Record<ExportFormat, Write>> = {
  async *csv({ pages }) {
    yield Buffer.from(csvLine(ENTRY_COLUMNS));
    for await (const page of pages()) yield Buffer.from(page.map(csvOf).join(''));
  },
  async *json({ pages }) {
    let opening = '[';
    for await (const page of pages()) {
      if (page.length === 0) continue;
      yield Buffer.from(opening + JSON.stringify(page.map(settingsOf)).slice(1, -1));
      opening = ',';
    }
    yield Buffer.from(opening === '[' ? '[]' : ']');
  },
  nginx: (table) => writeRules(nginxFile, table),
  netlify: (table) => writeRules(netlifyFile, table),
  caddy: (table) => writeRules(caddyFile, table),
};

function settingsOf({ id: _, redirectId, createdAt, updatedAt, ...settings }: StoredEntry): EntrySettings {
  return settings;
}

function csvOf(entry: StoredEntry): string {
  const { query, ...settings } = settingsOf(entry);
  const cells = { ...settings, query: query === null ? null : JSON.stringify(query) };
  return csvLine(ENTRY_COLUMNS.map((name) => cells[name as keyof EntrySettings]));
}

/**
 * Writes rules for systems in which the first matching rule decides. The order is the precedence: sources with
 * conditions, exact sources, patterns. Exact sources are most of a table and are not kept in memory.
 */
async function* writeRules(
  file: RuleFile,
  { redirect, options, pages }: ExportedTable,
): AsyncIterable<Buffer> {
  yield Buffer.from(`${file.head.join('\n')}\n`);
  const ordered: StoredEntry[] = [];
  for await (const page of pages()) ordered.push(...page.filter((entry) => !isPlain(entry)));
  ordered.sort((a, b) => compareEntries(a, b, options));
  const first = ordered.filter(isExact);
  const last = ordered.filter((entry) => !isExact(entry));
  const decided = new Set(
    first.filter(({ query, enabled }) => query === null && enabled).map(({ source }) => decodedPath(source)),
  );
  const write = (entries: readonly StoredEntry[]) =>
    Buffer.from(entries.map((entry) => `${textOf(file, entry, redirect, options, decided)}\n`).join(''));
  yield write(first);
  for await (const page of pages()) yield write(page.filter(isPlain));
  yield write(last);
  if (file.foot !== undefined) yield Buffer.from(`${file.foot}\n`);
}

function textOf(
  file: RuleFile,
  entry: StoredEntry,
  redirect: ExportedTable['redirect'],
  options: PathOptions,
  decided: ReadonlySet<string>,
): string {
  const rule: ExportedRule | string = exportedRule(entry, redirect);
  if (typeof rule === 'string') return comment(entry, rule);
  const written = file.rule(rule, options, decided);
  return 'text' in written ? written.text : comment(entry, written.reason);
}

function comment({ source, query, destination, statusCode }: StoredEntry, reason: string): string {
  const conditions = query === null ? '' : ` ${JSON.stringify(query)}`;
  const text = `${source}${conditions} -> ${destination ?? ''} ${statusCode}`;
  return `# Not expressed (${reason}): ${text}`.replace(/[\r\n]+/g, ' ');
}

function isExact({ source }: StoredEntry): boolean {
  const read = readSource(source);
  return !('field' in read) && !read.isPrefix && read.params.size === 0;
}

function isPlain(entry: StoredEntry): boolean {
  return entry.query === null && entry.pathEnding === 'inherit' && isExact(entry);
}

/** Returns the decoded path, or the source if an escape cannot be decoded. Such an entry has no rule. */
function decodedPath(source: string): string {
  try {
    return decodeURIComponent(source);
  } catch {
    return source;
  }
}

function compareEntries(a: StoredEntry, b: StoredEntry, options: PathOptions): number {
  const [one, other] = [placeIn(a, options), placeIn(b, options)];
  return compareShapes(one.shape, other.shape) || compareConditions(one.conditions, other.conditions);
}

function placeIn({ source, query, pathEnding }: StoredEntry, options: PathOptions) {
  const read = readSource(source);
  const conditions = packConditions(query);
  if ('field' in read) return { shape: '', conditions };
  const mark = endingMark(pathEnding, read, options.ignoreTrailingSlash);
  return { shape: shapeOf(read, options), conditions: withEndingMark(mark, conditions) };
}
