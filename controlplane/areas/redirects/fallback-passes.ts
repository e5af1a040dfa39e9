import { createHostPasses, type HostPasses, type HostPassesDeps } from '../../publishing/host-passes.js';

/** Publishes changes of fallbacks. Their values are URLs; null is no fallback. */
export type FallbackPasses = HostPasses<string | null>;

export function createFallbackPasses(deps: HostPassesDeps): FallbackPasses {
  const value = {
    table: 'fallback_passes',
    before: 'url_before',
    after: 'url_after',
    stored: '(SELECT url FROM user_fallbacks WHERE user_id = $1)',
    hosts: 'NOT enabled AND verified_at IS NOT NULL AND deleted_at IS NULL',
  };
  return createHostPasses(value, deps);
}
