import { asMembers } from '../../storage/postgres/as-members.js';
import type { RedirectState } from '../history/public.js';
import type { HttpsMode, Redirect, RedirectSettings, StoredSettings } from './redirect.js';
import { DEFAULT_STATUS_CODES } from './redirect-status-code.js';

/** A row of `COLUMNS`. Null means the default. */
export interface RedirectRow
  extends Omit<Redirect, 'statusCode' | 'responseHeaders' | 'appendQuery' | 'httpsMode'> {
  readonly statusCode: 307 | 308 | null;
  readonly responseHeaders: Redirect['responseHeaders'] | null;
  readonly appendQuery: Redirect['appendQuery'] | null;
  readonly httpsMode: Exclude<HttpsMode, 'both'> | null;
}

/** Types of the columns of `StoredSettings`. Summaries of changes name the settings in this order. */
const COLUMN_TYPES: Readonly<Record<keyof StoredSettings, string>> = {
  toDomain: 'text',
  redirectType: 'text',
  statusCode: 'smallint',
  pathForwarding: 'boolean',
  queryForwarding: 'boolean',
  samplingRate: 'float8',
  cacheSeconds: 'integer',
  queryRecording: 'text',
  enabled: 'boolean',
  tags: 'text[]',
  note: 'text',
  externalId: 'text',
  startsAt: 'timestamptz',
  endsAt: 'timestamptz',
  afterEnd: 'jsonb',
  responseHeaders: 'json',
  appendQuery: 'json',
  clickIdParam: 'text',
  notFound: 'jsonb',
  httpsMode: 'text',
  hsts: 'jsonb',
  toHost: 'text',
  afterEndHost: 'text',
};
const MEMBERS = Object.keys(COLUMN_TYPES) as (keyof StoredSettings)[];
const isSetting = (name: keyof StoredSettings): name is keyof RedirectSettings =>
  name !== 'toHost' && name !== 'afterEndHost';
/** Names of the settings that an owner chooses. */
export const SETTING_NAMES: readonly (keyof RedirectSettings)[] = MEMBERS.filter(isSetting);

/** Columns of `StoredSettings`, in the order of `settingsValues`, and their types. */
const SETTINGS_NAMES = MEMBERS.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
export const SETTINGS_COLUMNS = SETTINGS_NAMES.join(', ');
const SETTINGS_TYPES = Object.values(COLUMN_TYPES);

export const COLUMNS =
  asMembers(`id, user_id, from_domain, ${SETTINGS_COLUMNS}, verification_value, verified_at, created_at,
  updated_at, version, path_count, example_count`);

/** SQL that identifies the committed state of a row by the transaction that wrote it (`xmin`). */
export const ROW_VERSION = "id || ':' || xmin::text";

/** Returns placeholders for `settingsValues`. The first one is `$first`. */
export function settingsPlaceholders(first: number): string {
  return SETTINGS_TYPES.map((type, at) => `$${first + at}::${type}`).join(', ');
}

export function settingsValues(settings: StoredSettings): unknown[] {
  return MEMBERS.map((name) => storedValue(name, settings[name]));
}

/** Returns the value of a column. Null means the default, or an object without members. */
function storedValue(name: keyof StoredSettings, value: StoredSettings[typeof name]): unknown {
  if (name === 'statusCode') return value === 307 || value === 308 ? value : null;
  if (name === 'httpsMode') return value === 'both' ? null : value;
  if (value === null || !COLUMN_TYPES[name].startsWith('json')) return value;
  return Object.keys(value).length === 0 ? null : JSON.stringify(value);
}

/** Returns settings in the form of requests and versions. */
export function writtenSettings(settings: RedirectSettings): WrittenSettings {
  const written: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    written[name] = value instanceof Date ? value.toISOString() : value;
  }
  return written as unknown as WrittenSettings;
}

export type WrittenSettings = Omit<RedirectState, 'fromDomain' | 'isVerified' | 'isDeleted'>;

const NOTHING: Readonly<Record<string, string>> = {};

/** Fills in the defaults of a row, which must have no other columns. */
export function toRedirect(row: RedirectRow): Redirect {
  return {
    ...row,
    statusCode: statusCodeOf(row),
    responseHeaders: row.responseHeaders ?? NOTHING,
    appendQuery: row.appendQuery ?? NOTHING,
    httpsMode: row.httpsMode ?? 'both',
  };
}

/** The previous release writes only the type. A status code of the other type is then outdated. */
function statusCodeOf({ redirectType, statusCode }: RedirectRow): Redirect['statusCode'] {
  const keepsMethod = redirectType === 'permanent' ? 308 : 307;
  return statusCode === keepsMethod ? keepsMethod : DEFAULT_STATUS_CODES[redirectType];
}

/** Columns of rows as parameters of a statement. With rows as JSON, PostgreSQL and this process need twice the time. */
interface ParameterColumns {
  /** SQL of a row source with the alias `given`: one row for each of the settings, in their order. */
  readonly source: string;
  /** SQL expressions for `SETTINGS_COLUMNS`, in their order. A value that all rows share is one parameter. */
  readonly settings: string;
  readonly params: readonly unknown[];
}

/**
 * Creates parameters from settings, and from further columns of type text by name.
 *
 * @param isPlanned whether the SQL depends only on the names. PostgreSQL can then reuse its plan, and values are not
 * shared
 */
export function parameterColumns(
  more: Readonly<Record<string, readonly (string | null)[]>>,
  settings: readonly StoredSettings[],
  isPlanned = false,
): ParameterColumns {
  const params: unknown[] = [];
  const place = (value: unknown) => `$${params.push(value)}::text`;
  const names = Object.keys(more);
  const lists = Object.values(more).map((texts) => `${place(texts)}[]`);
  const rows = settings.map(settingsValues);
  const expressions = SETTINGS_NAMES.map((name, at) => {
    const texts = rows.map((row) => textOf(row[at]));
    const [first = null] = texts;
    const type = SETTINGS_TYPES[at];
    if (!isPlanned && texts.every((text) => text === first)) return `${place(first)}::${type}`;
    lists.push(`${place(texts)}[]`);
    names.push(name);
    return `given.${name}::${type}`;
  });
  return {
    source: `unnest(${lists.join(', ')}) AS given (${names.join(', ')})`,
    settings: expressions.join(', '),
    params,
  };
}

/** Returns the text that PostgreSQL reads as the value. */
function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.map(quoted).join(',')}}` : String(value);
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
