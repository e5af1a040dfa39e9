/**
 * SQL for the URL that data planes get for visitors of a row of `redirects` while it is disabled; NULL for 404. A change of the
 * fallback is published in pages: until it has reached a host, the host has the URL from before.
 */
export const SERVED_FALLBACK = `(CASE WHEN EXISTS (SELECT FROM fallback_passes WHERE fallback_passes.user_id = redirects.user_id)
    THEN (SELECT CASE WHEN redirects.from_domain > published_to THEN url_before ELSE url_after END
      FROM fallback_passes WHERE fallback_passes.user_id = redirects.user_id)
    ELSE (SELECT url FROM user_fallbacks WHERE user_fallbacks.user_id = redirects.user_id) END)`;
