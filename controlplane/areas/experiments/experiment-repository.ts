import type { RuleAction } from '../../../shared/rules/rule-definition.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Period } from '../analytics/public.js';
import type { ActionChange } from './segments.js';

/** SQL of experiments, except that of conversions. */
export const experimentRepository = {
  /**
   * Returns the newest changes of a rule's action in a period, and the first one after it, which contains the action at
   * the end of the period. Oldest first.
   */
  async changesIn(
    source: Queryable,
    ruleId: number,
    { startMs, endMs }: Period,
    limit: number,
  ): Promise<readonly ActionChange[]> {
    const rows = await source.query<{ changed_at: Date; action_before: RuleAction }>(
      `SELECT changed_at, action_before FROM experiment_changes
       WHERE rule_id = $1 AND changed_at > $2 AND id <= coalesce((
           SELECT min(id) FROM experiment_changes WHERE rule_id = $1 AND changed_at > $3), 9223372036854775807)
       ORDER BY id DESC LIMIT $4`,
      [ruleId, new Date(startMs), new Date(endMs), limit],
    );
    return rows
      .reverse()
      .map(({ changed_at, action_before }) => ({ atMs: changed_at.getTime(), before: action_before }));
  },

  /** Returns the id of the user's redirect of a host. */
  async redirectOfHost(source: Queryable, userId: string, host: string): Promise<string | undefined> {
    const [row] = await source.query<{ id: string }>(
      'SELECT id FROM redirects WHERE user_id = $1 AND from_domain = $2 AND deleted_at IS NULL',
      [userId, host],
    );
    return row?.id;
  },
};
