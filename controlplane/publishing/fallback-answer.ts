import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';

/** Data planes serve a disabled redirect with a fallback like one that ended at this time. */
const ENDED_AT_MS = 1;

/**
 * Returns what the visitors of a disabled redirect get from the fallback of its owner: the answer of an ended redirect with
 * another URL. Nothing of the request but labels of the host goes there, and data planes cut loops through it.
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
