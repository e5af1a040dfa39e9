import { AppError } from '../../errors/app-error.js';
import { type Plan, UNLIMITED } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';

/** Maximum number of redirects with too many rules that are named. The others are counted. */
const MAX_NAMED = 10;

/**
 * Returns a sentence about resources above the limits of a plan; `undefined` if no limit is exceeded. Nothing is
 * removed, but nothing can be added.
 */
export async function overLimitsSentence(
  source: Queryable,
  userId: string,
  plan: Plan,
): Promise<string | undefined> {
  const over = [...(await redirectsOver(source, userId, plan)), ...(await rulesOver(source, userId, plan))];
  if (over.length === 0) return undefined;
  return `You have more than the plan ${plan.name} allows: ${over.join(', ')}. All of it stays; nothing can be added.`;
}

/** Returns a sentence for the user, followed by the resources above the limits. */
export async function withOverLimits(
  source: Queryable,
  userId: string,
  plan: Plan,
  message: string,
): Promise<string> {
  const over = await overLimitsSentence(source, userId, plan);
  return over === undefined ? message : `${message} ${over}`;
}

/** Pending redirects count like verified ones. */
async function redirectsOver(
  source: Queryable,
  userId: string,
  { maxRedirects }: Plan,
): Promise<readonly string[]> {
  if (maxRedirects === UNLIMITED) return [];
  const [row] = await source.query<{ used: number }>(
    'SELECT redirect_count AS used FROM users WHERE id = $1',
    [userId],
  );
  const used = row?.used ?? 0;
  return used > maxRedirects ? [`${used} redirects of ${maxRedirects}`] : [];
}

async function rulesOver(source: Queryable, userId: string, { perRedirect }: Plan): Promise<string[]> {
  const { maxRulesPerRedirect } = perRedirect;
  if (maxRulesPerRedirect === UNLIMITED) return [];
  const rows = await source.query<{ from_domain: string; used: number; total: number }>(
    `SELECT from_domain, count(*) AS used, count(*) OVER () AS total
     FROM redirects JOIN rules ON rules.redirect_id = redirects.id
     WHERE user_id = $1 AND deleted_at IS NULL GROUP BY redirects.id, from_domain HAVING count(*) > $2 ORDER BY from_domain LIMIT $3`,
    [userId, maxRulesPerRedirect, MAX_NAMED],
  );
  const named = rows.map(
    ({ from_domain, used }) => `${used} rules of ${maxRulesPerRedirect} on ${from_domain}`,
  );
  const unnamed = (rows[0]?.total ?? 0) - rows.length;
  return unnamed > 0 ? [...named, `and more on ${unnamed} other redirects`] : named;
}

interface UsedRoom {
  readonly limit: number;
  readonly used: number;
  /** Limited resource and its owner: `redirects`, `you have`. */
  readonly what: string;
  readonly has: string;
}

/**
 * Refuses one more of a limited resource.
 *
 * @throws {AppError} PLAN_LIMIT_REACHED, naming plan, limit and use
 */
export function requireRoom({ name }: Plan, { limit, used, what, has }: UsedRoom): void {
  if (limit === UNLIMITED || used < limit) return;
  const surplus = used - limit + 1;
  throw new AppError('PLAN_LIMIT_REACHED', {
    message: `The plan ${name} allows ${limit} ${what} and ${has} ${used}. Delete ${surplus === 1 ? 'one' : surplus} or choose a larger plan.`,
  });
}
