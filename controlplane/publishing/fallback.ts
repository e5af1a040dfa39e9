import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';

/** Data planes serve a disabled redirect with a fallback like one that ended at this time. */
const ENDED_AT_MS = 1;

/**
 * Returns the answer of a disabled redirect with the fallback of its owner: that of an ended redirect with another
 * URL. It takes nothing from the request except labels of the host, and data planes cut loops through it.
 */
export function fallbackAnswer(url: string) {
  return {
    destination: url,
    redirectType: 'temporary',
    pathForwarding: false,
    queryForwarding: false,
    endsAt: ENDED_AT_MS,
    afterEnd: { url },
  } satisfies Partial<RedirectDefinition>;
}

/**
 * SQL for the URL that data planes get for visitors of a row of `redirects` while it is disabled; NULL for 404. A change of the
 * fallback is published in pages: until it has reached a host, the host has the URL from before.
 */
export const SERVED_FALLBACK = `(CASE WHEN EXISTS (SELECT FROM fallback_passes WHERE fallback_passes.user_id = redirects.user_id)
    THEN (SELECT CASE WHEN redirects.from_domain > published_to THEN url_before ELSE url_after END
      FROM fallback_passes WHERE fallback_passes.user_id = redirects.user_id)
    ELSE (SELECT url FROM user_fallbacks WHERE user_fallbacks.user_id = redirects.user_id) END)`;
