import type { PublishedPaths } from '../../shared/paths/published-paths.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { stickyOf } from '../../shared/rules/choice/sticky.js';
import { variantsOf } from '../../shared/rules/choice/variants.js';
import type { RuleAction, RuleDefinition } from '../../shared/rules/rule-definition.js';
import { asRedirectDefinition } from '../../shared/ruleset/definition-lines.js';
import {
  DEFAULT_CACHE_SECONDS,
  type QueryRecording,
  type RedirectDefinition,
  type RedirectType,
} from '../../shared/ruleset/redirect-definition.js';
import type { RedirectOptions } from '../../shared/ruleset/redirect-options.js';
import { type Plan, type PlansOf, recordsNothing, UNLIMITED } from '../plan.js';
import type { Queryable } from '../storage/postgres/database.js';
import { fallbackAnswer, SERVED_FALLBACK } from './fallback.js';
import { type DecidingPart, ruleDefinitionOf } from './rule-definitions.js';
import { GONE_COLUMNS, type LeadsToTakenDown, readTakenDown } from './taken-down.js';

interface RedirectColumns {
  readonly id: string;
  readonly user_id: string;
  readonly from_domain: string;
  readonly to_domain: string;
  readonly redirect_type: RedirectType;
  readonly path_forwarding: boolean;
  readonly query_forwarding: boolean;
  readonly sampling_rate: number;
  readonly cache_seconds: number;
  readonly query_recording: QueryRecording;
  /** Head of its table of paths; null without one. */
  readonly paths: PublishedPaths | null;
  readonly is_gone: boolean;
  readonly has_takedowns: boolean;
  readonly certificate_fingerprint: string | null;
  readonly certificate_not_after: Date | null;
  /** Certificates of names below a wildcard; null for none. */
  readonly named_certificates: NonNullable<RedirectOptions['namedCertificates']> | null;
  /** Null for redirects without any. */
  readonly options: RedirectOptions | null;
  /** Destination of visitors while the redirect is disabled; null while it is enabled. */
  readonly fallback_url: string | null;
}

interface RuleColumns {
  readonly rule_id: number;
  readonly conditions: DecidingPart['conditions'];
  readonly condition_logic: DecidingPart['conditionLogic'];
  readonly action: DecidingPart['action'];
  readonly start_date: Date | null;
  readonly end_date: Date | null;
}

/** A row of `SERVED`. */
export type ServedRow = RedirectColumns & (RuleColumns | { readonly rule_id: null });

/** All columns, as an object: the compiler reports a missing one. */
const COLUMNS: Readonly<Record<keyof RedirectColumns | keyof RuleColumns, true>> = {
  id: true,
  user_id: true,
  from_domain: true,
  to_domain: true,
  redirect_type: true,
  path_forwarding: true,
  query_forwarding: true,
  sampling_rate: true,
  cache_seconds: true,
  query_recording: true,
  options: true,
  fallback_url: true,
  paths: true,
  is_gone: true,
  has_takedowns: true,
  certificate_fingerprint: true,
  certificate_not_after: true,
  named_certificates: true,
  rule_id: true,
  conditions: true,
  condition_logic: true,
  action: true,
  start_date: true,
  end_date: true,
};

/** The columns of a `ServedRow`. A large ruleset has millions of rows, so the other columns are not read. */
export const SERVED_COLUMNS = Object.keys(COLUMNS).join(', ');

/** `RedirectOptions` as JSON. It is null for redirects without options. Most have none, and null takes no time. */
const OPTIONS = `CASE WHEN num_nonnulls(status_code, starts_at, ends_at, response_headers, append_query, https_mode,
      hsts, click_id_param, not_found) > 0 THEN json_strip_nulls(json_build_object(
        'statusCode', CASE WHEN (redirect_type, status_code) IN (('permanent', 308), ('temporary', 307))
          THEN status_code END,
        'startsAt', floor(extract(epoch FROM starts_at) * 1000)::bigint,
        'endsAt', floor(extract(epoch FROM ends_at) * 1000)::bigint,
        'afterEnd', CASE WHEN ends_at IS NOT NULL THEN after_end END,
        'responseHeaders', response_headers, 'appendQuery', append_query, 'httpsMode', https_mode,
        'hsts', hsts, 'clickIdParam', click_id_param, 'notFound', not_found)) END AS options`;

/** Certificates of names below a wildcard, by name. Other redirects skip the query. */
const NAMED_CERTIFICATES = `CASE WHEN from_domain LIKE '*%' THEN (
      SELECT json_object_agg(named.host, json_build_object('fingerprint', named.fingerprint,
        'notAfter', floor(extract(epoch FROM named.not_after) * 1000)::bigint))
      FROM certificates AS named WHERE named.wildcard = from_domain AND named.user_id = redirects.user_id
        AND named.fingerprint IS NOT NULL AND named.removed_at IS NULL) END AS named_certificates`;

/** SQL condition for rows of `redirects` that data planes serve: verified ones that are enabled, or have a fallback. */
export const IS_SERVED = `verified_at IS NOT NULL AND deleted_at IS NULL
    AND (enabled OR ${SERVED_FALLBACK} IS NOT NULL)`;

/**
 * A subquery of the served redirects, with one row per active rule, or one row for a redirect without rules. The join
 * reads redirects and rules in one statement, and so at the same moment.
 */
export const SERVED = `(
  SELECT redirects.id, redirects.user_id, from_domain, to_domain, redirect_type, path_forwarding, query_forwarding,
    CASE WHEN recording_pauses.redirect_id IS NULL THEN sampling_rate ELSE 0 END AS sampling_rate,
    cache_seconds,
    query_recording, ${OPTIONS}, CASE WHEN NOT enabled THEN ${SERVED_FALLBACK} END AS fallback_url,
    path_tables.published AS paths,
    ${GONE_COLUMNS},
    certificates.fingerprint AS certificate_fingerprint, certificates.not_after AS certificate_not_after,
    ${NAMED_CERTIFICATES},
    rules.id AS rule_id, conditions, condition_logic, action, start_date, end_date, priority, content_bytes
  FROM redirects
    LEFT JOIN recording_pauses ON recording_pauses.redirect_id = redirects.id
    LEFT JOIN path_tables ON path_tables.redirect_id = redirects.id
    LEFT JOIN certificates ON certificates.host = from_domain AND certificates.user_id = redirects.user_id
      AND certificates.fingerprint IS NOT NULL
    LEFT JOIN rules ON rules.redirect_id = redirects.id AND rules.status = 'active' AND enabled
  WHERE ${IS_SERVED}) AS served`;

/** A subquery of the pages of paths that data planes keep: those of verified redirects. */
export const SERVED_PAGES = `(
  SELECT key, content FROM path_pages JOIN redirects ON redirects.id = redirect_id
  WHERE verified_at IS NOT NULL) AS pages`;

/** Called for a redirect that cannot be served: the reason, with host and field. */
export type OnInvalid = (problem: string) => void;

/**
 * Builds definitions from rows, in their order. Plans are read after the rows. A plan that changes in between is
 * therefore published early, and again by its own change.
 *
 * @param rows rows of `SERVED`, grouped by redirect and ordered by `priority`
 * @param plansOf returns the retention of hits and whether hits are recorded. Default: all are recorded and kept for
 *   ever
 * @param onInvalid called for each redirect that is omitted because data planes would refuse it
 */
export async function toDefinitions(
  source: Queryable,
  rows: readonly ServedRow[],
  plansOf: PlansOf | undefined,
  onInvalid: OnInvalid,
): Promise<RedirectDefinition[]> {
  const owners = [...new Set(rows.map((row) => row.user_id))];
  const plans = owners.length === 0 ? undefined : await plansOf?.(source, owners);
  const leadsToTakenDown =
    rows[0]?.has_takedowns === true ? await readTakenDown(source, idsWithPaths(rows)) : undefined;
  const definitions: RedirectDefinition[] = [];
  for (let at = 0; at < rows.length; ) {
    const start = at;
    while (at < rows.length && rows[at]?.id === rows[start]?.id) at += 1;
    try {
      definitions.push(asRedirectDefinition(tryDefinition(rows.slice(start, at), plans, leadsToTakenDown)));
    } catch (error) {
      onInvalid(messageOf(error));
    }
  }
  return definitions;
}

function idsWithPaths(rows: readonly ServedRow[]): string[] {
  return [...new Set(rows.flatMap(({ id, paths }) => (paths === null ? [] : [id])))];
}

function tryDefinition(
  rows: readonly ServedRow[],
  plans: ReadonlyMap<string, Plan> | undefined,
  leadsToTakenDown: LeadsToTakenDown | undefined,
): unknown {
  try {
    return toDefinition(rows, plans, leadsToTakenDown);
  } catch (error) {
    const host = JSON.stringify(rows[0]?.from_domain);
    throw new Error(`the redirect of ${host} is refused: its rules cannot be read (${messageOf(error)})`);
  }
}

function toRule(row: RuleColumns): RuleDefinition {
  return ruleDefinitionOf({
    id: row.rule_id,
    conditions: row.conditions,
    conditionLogic: row.condition_logic,
    action: spelledOut(row.action),
    startDate: row.start_date,
    endDate: row.end_date,
  });
}

/**
 * Adds the defaults of an action, because data planes of an older version do not know them. An action of an unknown
 * type is unchanged. Validation then refuses the redirect.
 */
function spelledOut(action: RuleAction): RuleAction {
  switch (action.type) {
    case 'percentage_redirect':
      return { ...action, sticky: stickyOf(action) };
    case 'ab_test':
      return { type: 'ab_test', variants: variantsOf(action), sticky: stickyOf(action) };
    default:
      return action;
  }
}

/** @param rows of one redirect; at least one */
function toDefinition(
  rows: readonly ServedRow[],
  plans: ReadonlyMap<string, Plan> | undefined,
  leadsToTakenDown: LeadsToTakenDown | undefined,
): RedirectDefinition | undefined {
  const [row] = rows;
  if (row === undefined) return undefined;
  if (row.fallback_url !== null) return fallbackOf(row, row.fallback_url, leadsToTakenDown);
  const plan = plans?.get(row.user_id);
  const { analyticsRetentionDays: days = UNLIMITED } = plan?.perRedirect ?? {};
  // A first snapshot makes a million of these. Spreading objects would take several times as long.
  const definition: Mutable<RedirectDefinition> = {
    id: row.id,
    host: row.from_domain,
    destination: row.to_domain,
    redirectType: row.redirect_type,
    pathForwarding: row.path_forwarding,
    queryForwarding: row.query_forwarding,
    samplingRate: plan !== undefined && recordsNothing(plan) ? 0 : row.sampling_rate,
  };
  if (row.cache_seconds !== DEFAULT_CACHE_SECONDS) definition.cacheSeconds = row.cache_seconds;
  if (days !== UNLIMITED) definition.retentionDays = days;
  if (row.query_recording !== 'full') definition.queryRecording = row.query_recording;
  if (hasCertificates(row)) Object.assign(definition, certificatesOf(row));
  if (row.rule_id !== null) definition.rules = rulesIn(rows);
  if (row.paths !== null) definition.paths = row.paths;
  if (row.options !== null) Object.assign(definition, row.options);
  if (row.is_gone || leadsToTakenDown?.(row.id, definition)) definition.gone = true;
  return definition;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

function rulesIn(rows: readonly ServedRow[]): RuleDefinition[] {
  const rules: RuleDefinition[] = [];
  for (const row of rows) if (row.rule_id !== null) rules.push(toRule(row));
  return rules;
}

/**
 * Returns the definition that data planes get for a disabled redirect whose owner has a fallback. No hits are recorded.
 */
function fallbackOf(
  row: RedirectColumns,
  url: string,
  leadsToTakenDown: LeadsToTakenDown | undefined,
): RedirectDefinition {
  const { httpsMode, hsts } = row.options ?? {};
  const isGone = row.is_gone || leadsToTakenDown?.(row.id, { afterEnd: { url } }) === true;
  return {
    id: row.id,
    host: row.from_domain,
    ...fallbackAnswer(url),
    samplingRate: 0,
    ...certificatesOf(row),
    ...(httpsMode !== undefined && { httpsMode }),
    ...(hsts !== undefined && { hsts }),
    ...(isGone && { gone: true }),
  };
}

function hasCertificates(row: RedirectColumns): boolean {
  return row.certificate_fingerprint !== null || row.named_certificates !== null;
}

function certificatesOf(row: RedirectColumns): Pick<RedirectOptions, 'certificate' | 'namedCertificates'> {
  const { named_certificates: namedCertificates } = row;
  return { ...ownCertificateOf(row), ...(namedCertificates && { namedCertificates }) };
}

function ownCertificateOf({
  certificate_fingerprint: fingerprint,
  certificate_not_after: notAfter,
}: RedirectColumns) {
  if (fingerprint === null || notAfter === null) return undefined;
  return { certificate: { fingerprint, notAfter: notAfter.getTime() } };
}
