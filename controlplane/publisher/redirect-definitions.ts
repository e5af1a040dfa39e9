import type { RuleDefinition } from '../../shared/rules/rule-definition.js';
import type { RedirectDefinition, RedirectType } from '../../shared/ruleset/redirect-definition.js';
import { type Plan, type PlansOf, recordsNothing, UNLIMITED } from '../accounts/plans.js';
import type { Queryable } from '../database/database.js';
import { type DecidingPart, ruleDefinitionOf } from '../rules/rule.js';

interface RedirectRow {
  readonly id: string;
  readonly user_id: string;
  readonly from_domain: string;
  readonly to_domain: string;
  readonly redirect_type: RedirectType;
  readonly path_forwarding: boolean;
  readonly query_forwarding: boolean;
  readonly sampling_rate: number;
}

interface RuleRow {
  readonly id: number;
  readonly redirect_id: string;
  readonly conditions: DecidingPart['conditions'];
  readonly condition_logic: DecidingPart['conditionLogic'];
  readonly action: DecidingPart['action'];
  readonly start_date: Date | null;
  readonly end_date: Date | null;
}

/**
 * What data planes serve at these hosts, or at all hosts: verified redirects, each with its active rules in
 * order. A host where nothing is served is left out. Ordered by host.
 *
 * @param tx a transaction in which every statement sees the same
 * @param plansOf tells how long hits are kept, and whether any are recorded; without it all are, and for ever
 */
export async function readDefinitions(
  tx: Queryable,
  hosts: readonly string[] | 'all',
  plansOf?: PlansOf,
): Promise<RedirectDefinition[]> {
  const selection = [hosts === 'all' ? null : hosts];
  const redirects = await tx.query<RedirectRow>(
    `SELECT id, user_id, from_domain, to_domain, redirect_type, path_forwarding, query_forwarding,
       CASE WHEN redirect_id IS NULL THEN sampling_rate ELSE 0 END AS sampling_rate
     FROM redirects LEFT JOIN recording_pauses ON redirect_id = id
     WHERE verified_at IS NOT NULL AND ($1::text[] IS NULL OR from_domain = ANY ($1))
     ORDER BY from_domain`,
    selection,
  );
  const rules = await tx.query<RuleRow>(
    `SELECT rules.id, redirect_id, conditions, condition_logic, action, start_date, end_date
     FROM rules JOIN redirects ON redirects.id = rules.redirect_id
     WHERE verified_at IS NOT NULL AND status = 'active' AND ($1::text[] IS NULL OR from_domain = ANY ($1))
     ORDER BY priority`,
    selection,
  );
  const rulesOf = byRedirect(rules);
  const plans = await plansOf?.(tx, [...new Set(redirects.map((row) => row.user_id))]);
  return redirects.map((row) => toDefinition(row, rulesOf.get(row.id), plans?.get(row.user_id)));
}

function byRedirect(rows: readonly RuleRow[]): Map<string, RuleDefinition[]> {
  const rulesOf = new Map<string, RuleDefinition[]>();
  for (const row of rows) {
    const definition = ruleDefinitionOf({
      id: row.id,
      conditions: row.conditions,
      conditionLogic: row.condition_logic,
      action: row.action,
      startDate: row.start_date,
      endDate: row.end_date,
    });
    const known = rulesOf.get(row.redirect_id);
    if (known === undefined) rulesOf.set(row.redirect_id, [definition]);
    else known.push(definition);
  }
  return rulesOf;
}

function toDefinition(
  row: RedirectRow,
  rules: RuleDefinition[] | undefined,
  plan: Plan | undefined,
): RedirectDefinition {
  const { analyticsRetentionDays: days = UNLIMITED } = plan?.perRedirect ?? {};
  return {
    id: row.id,
    host: row.from_domain,
    destination: row.to_domain,
    redirectType: row.redirect_type,
    pathForwarding: row.path_forwarding,
    queryForwarding: row.query_forwarding,
    samplingRate: plan !== undefined && recordsNothing(plan) ? 0 : row.sampling_rate,
    ...(days !== UNLIMITED && { retentionDays: days }),
    ...(rules !== undefined && { rules }),
  };
}
