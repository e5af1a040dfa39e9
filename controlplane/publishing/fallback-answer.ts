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
