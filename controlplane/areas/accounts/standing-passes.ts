import { createHostPasses, type HostPasses } from '../../publishing/host-passes.js';
import type { PagedPublishingDeps } from '../../publishing/paged-publishing.js';

/**
 * Publishes the hosts of a user after the account was suspended, resumed, deleted or restored. Each read of a host
 * reads from the database whether its visitors get 410.
 */
export type StandingPasses = HostPasses;

export function createStandingPasses(deps: PagedPublishingDeps): StandingPasses {
  const hosts = 'verified_at IS NOT NULL AND deleted_at IS NULL';
  return createHostPasses({ table: 'standing_passes', hosts }, deps);
}
