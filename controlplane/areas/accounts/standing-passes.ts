import { createHostPasses, type HostPasses, type HostPassesDeps } from '../../publishing/host-passes.js';
import { USER_IS_GONE } from '../../publishing/taken-down.js';
import type { Queryable } from '../../storage/postgres/database.js';

/** Publishes whether visitors of a user's redirects get 410, after the account was suspended, resumed, deleted or restored. */
export type StandingPasses = HostPasses<boolean>;

export function createStandingPasses(deps: HostPassesDeps): StandingPasses {
  const value = {
    table: 'standing_passes',
    before: 'gone_before',
    after: 'gone_after',
    stored: USER_IS_GONE,
    hosts: 'verified_at IS NOT NULL AND deleted_at IS NULL',
  };
  return createHostPasses(value, deps);
}

/** Resolves to whether visitors of the user's redirects get 410. */
export async function isGone(source: Queryable, userId: string): Promise<boolean> {
  const [row] = await source.query<{ is_gone: boolean }>(`SELECT ${USER_IS_GONE} AS is_gone`, [userId]);
  return row?.is_gone ?? false;
}
