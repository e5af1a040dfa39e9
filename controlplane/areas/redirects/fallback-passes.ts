import { createHostPasses, type HostPasses } from '../../publishing/host-passes.js';
import type { PagedPublishingDeps } from '../../publishing/paged-publishing.js';

/** Publishes changes of fallbacks. Their values are URLs; null means no fallback. */
export type FallbackPasses = HostPasses<[before: string | null]>;

export function createFallbackPasses(deps: PagedPublishingDeps): FallbackPasses {
  const passed = {
    table: 'fallback_passes',
    hosts: 'NOT enabled AND verified_at IS NOT NULL AND deleted_at IS NULL',
    value: {
      before: 'url_before',
      after: 'url_after',
      stored: '(SELECT url FROM user_fallbacks WHERE user_id = $1)',
    },
  };
  return createHostPasses(passed, deps);
}
