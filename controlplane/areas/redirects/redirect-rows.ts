import type { QueryRecording, RedirectType } from '../../../shared/ruleset/redirect-definition.js';
import type { RedirectState } from '../history/public.js';
import type { HttpsMode, Redirect, RedirectSettings, StoredSettings } from './redirect.js';
import { DEFAULT_STATUS_CODES } from './redirect-status-code.js';

/** A row of `COLUMNS`. */
export interface RedirectRow {
  readonly id: string;
  readonly user_id: string;
  readonly from_domain: string;
  readonly to_domain: string;
  readonly to_host: string;
  readonly redirect_type: RedirectType;
  readonly path_forwarding: boolean;
  readonly query_forwarding: boolean;
  readonly sampling_rate: number;
  readonly cache_seconds: number;
  readonly query_recording: QueryRecording;
  readonly status_code: 307 | 308 | null;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  readonly note: string;
  readonly external_id: string | null;
  readonly starts_at: Date | null;
  readonly ends_at: Date | null;
  readonly after_end: Redirect['afterEnd'];
  readonly after_end_host: string | null;
  readonly response_headers: Redirect['responseHeaders'] | null;
  readonly append_query: Redirect['appendQuery'] | null;
  readonly https_mode: Exclude<HttpsMode, 'both'> | null;
  readonly hsts: Redirect['hsts'];
  readonly click_id_param: string | null;
  readonly not_found: Redirect['notFound'];
  readonly verification_value: string;
  readonly verified_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly version: number;
  readonly path_count: number;
  readonly example_count: number;
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
export const SETTINGS_NAMES = MEMBERS.map((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);
export const SETTINGS_COLUMNS = SETTINGS_NAMES.join(', ');
export const SETTINGS_TYPES = Object.values(COLUMN_TYPES);

export const COLUMNS = `id, user_id, from_domain, ${SETTINGS_COLUMNS}, verification_value, verified_at, created_at,
  updated_at, version, path_count, example_count`;

/** Names the committed state of a row by the transaction that wrote it (`xmin`). */
export const ROW_VERSION = "id || ':' || xmin::text";

/** Returns placeholders for `settingsValues`, of which the first is `$first`. */
export function settingsPlaceholders(first: number): string {
  return SETTINGS_TYPES.map((type, at) => `$${first + at}::${type}`).join(', ');
}

export function settingsValues(settings: StoredSettings): unknown[] {
  return MEMBERS.map((name) => storedValue(name, settings[name]));
}

/** Returns the value of a column. Null stands for a default, and for an object without members. */
function storedValue(name: keyof StoredSettings, value: StoredSettings[typeof name]): unknown {
  if (name === 'statusCode') return value === 307 || value === 308 ? value : null;
  if (name === 'httpsMode') return value === 'both' ? null : value;
  if (value === null || !COLUMN_TYPES[name].startsWith('json')) return value;
  return Object.keys(value).length === 0 ? null : JSON.stringify(value);
}

/** Returns settings as requests and versions have them. */
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

export function toRedirect(row: RedirectRow): Redirect {
  return {
    id: row.id,
    userId: row.user_id,
    fromDomain: row.from_domain,
    toDomain: row.to_domain,
    toHost: row.to_host,
    redirectType: row.redirect_type,
    statusCode: statusCodeOf(row),
    pathForwarding: row.path_forwarding,
    queryForwarding: row.query_forwarding,
    samplingRate: row.sampling_rate,
    cacheSeconds: row.cache_seconds,
    queryRecording: row.query_recording,
    enabled: row.enabled,
    tags: row.tags,
    note: row.note,
    externalId: row.external_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    afterEnd: row.after_end,
    afterEndHost: row.after_end_host,
    responseHeaders: row.response_headers ?? NOTHING,
    appendQuery: row.append_query ?? NOTHING,
    httpsMode: row.https_mode ?? 'both',
    hsts: row.hsts,
    clickIdParam: row.click_id_param,
    notFound: row.not_found,
    verificationValue: row.verification_value,
    verifiedAt: row.verified_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    pathCount: row.path_count,
    exampleCount: row.example_count,
  };
}

/** The previous release writes only the type. A status code of the other type is then outdated. */
function statusCodeOf({ redirect_type, status_code }: RedirectRow): Redirect['statusCode'] {
  const keepsMethod = redirect_type === 'permanent' ? 308 : 307;
  return status_code === keepsMethod ? keepsMethod : DEFAULT_STATUS_CODES[redirect_type];
}
