import type { Queryable } from '../../storage/postgres/database.js';

/** Returns the URL for visitors of the disabled redirects of a user; null without one. */
export async function findFallback(source: Queryable, userId: string): Promise<string | null> {
  const [row] = await source.query<{ url: string }>('SELECT url FROM user_fallbacks WHERE user_id = $1', [
    userId,
  ]);
  return row?.url ?? null;
}
