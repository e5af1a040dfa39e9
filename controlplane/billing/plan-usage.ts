import { type Plan, UNLIMITED } from '../accounts/plans.js';
import type { Queryable } from '../database/database.js';

/**
 * What of a user's redirects and rules is over the limits of a plan, each in a few words; empty where all is
 * within them. Nothing of it is taken away: there is only nothing to be added.
 */
export async function overLimits(source: Queryable, userId: string, plan: Plan): Promise<string[]> {
  const over: string[] = [];
  const rules = await source.query<{ from_domain: string; rules: number }>(
    `SELECT from_domain, count(rules.id) AS rules FROM redirects LEFT JOIN rules ON rules.redirect_id = redirects.id
     WHERE user_id = $1 GROUP BY redirects.id, from_domain ORDER BY from_domain`,
    [userId],
  );
  if (isOver(rules.length, plan.maxRedirects)) {
    over.push(`${rules.length} redirects of ${plan.maxRedirects}`);
  }
  const { maxRulesPerRedirect } = plan.perRedirect;
  for (const { from_domain, rules: count } of rules) {
    if (isOver(count, maxRulesPerRedirect)) {
      over.push(`${count} rules of ${maxRulesPerRedirect} on ${from_domain}`);
    }
  }
  return over;
}

const MAX_NAMED = 10;

/** The same as a sentence; `undefined` where all is within the limits. */
export async function overLimitsSentence(
  source: Queryable,
  userId: string,
  plan: Plan,
): Promise<string | undefined> {
  const over = await overLimits(source, userId, plan);
  if (over.length === 0) return undefined;
  const more = over.length > MAX_NAMED ? ` and ${over.length - MAX_NAMED} more` : '';
  return `You have more than the plan ${plan.name} allows: ${over.slice(0, MAX_NAMED).join(', ')}${more}. All of it stays; nothing can be added.`;
}

function isOver(used: number, limit: number): boolean {
  return limit !== UNLIMITED && used > limit;
}
