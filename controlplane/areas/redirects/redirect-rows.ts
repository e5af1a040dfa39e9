import type { QueryRecording, RedirectType } from '../../../shared/ruleset/redirect-definition.js';
import type { HttpsMode, Redirect, StoredSettings } from './redirect.js';
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

/** Columns of `StoredSettings`, in the order of `settingsValues`. */
export const SETTINGS_COLUMNS = `to_domain, to_host, redirect_type, path_forwarding, query_forwarding, sampling_rate,
  cache_seconds, query_recording, status_code, enabled, tags, note, external_id, starts_at, ends_at, after_end,
  after_end_host, response_headers, append_query, https_mode, hsts, click_id_param, not_found`;

export const COLUMNS = `id, user_id, from_domain, ${SETTINGS_COLUMNS}, verification_value, verified_at, created_at,
  updated_at, version, path_count, example_count`;

/** Names the committed state of a row by the transaction that wrote it (`xmin`). */
export const ROW_VERSION = "id || ':' || xmin::text";

const TYPES = [
  'text',
  'text',
  'text',
  'boolean',
  'boolean',
  'float8',
  'integer',
  'text',
  'smallint',
  'boolean',
];
const MORE_TYPES = [
  'text[]',
  'text',
  'text',
  'timestamptz',
  'timestamptz',
  'jsonb',
  'text',
  'json',
  'json',
  'text',
  'jsonb',
  'text',
  'jsonb',
];
/** Types of the columns of `SETTINGS_COLUMNS`. */
export const SETTINGS_TYPES: readonly string[] = [...TYPES, ...MORE_TYPES];

/** Returns placeholders for `settingsValues`, of which the first is `$first`. */
export function settingsPlaceholders(first: number): string {
  return SETTINGS_TYPES.map((type, at) => `$${first + at}::${type}`).join(', ');
}

export function settingsValues(settings: StoredSettings): unknown[] {
  const { statusCode, httpsMode } = settings;
  return [
    settings.toDomain,
    settings.toHost,
    settings.redirectType,
    settings.pathForwarding,
    settings.queryForwarding,
    settings.samplingRate,
    settings.cacheSeconds,
    settings.queryRecording,
    statusCode === 307 || statusCode === 308 ? statusCode : null,
    settings.enabled,
    settings.tags,
    settings.note,
    settings.externalId,
    settings.startsAt,
    settings.endsAt,
    jsonOf(settings.afterEnd),
    settings.afterEndHost,
    jsonOf(nullIfEmpty(settings.responseHeaders)),
    jsonOf(nullIfEmpty(settings.appendQuery)),
    httpsMode === 'both' ? null : httpsMode,
    jsonOf(settings.hsts),
    settings.clickIdParam,
    jsonOf(settings.notFound),
  ];
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function nullIfEmpty(texts: Readonly<Record<string, string>>): object | null {
  return Object.keys(texts).length === 0 ? null : texts;
}

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
