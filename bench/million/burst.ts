import { loadAtFixedRate } from '../load/fixed-rate-load.js';
import type { Role } from '../product/roles.js';
import type { Bench } from '../scenarios/scenario.js';
import { benchRequests, forwardedLocation } from '../traffic/bench-request.js';
import { updateMany } from './many-writes.js';

const QUIET_SECONDS = 3;
const VISITS_PER_SECOND = 500;
const VISITED_HOSTS = 20_000;
const CONNECTIONS = 64;
/** Visitors stop before the updates end, even if updates are somewhat faster than creations. */
const SHARE_OF_BURST = 0.7;

export interface BurstOptions {
  readonly redirects: number;
  readonly updates: number;
  /** About as many updates are made in a second. */
  readonly expectedPerSecond: number;
}

/**
 * Changes many redirects in one burst while visitors request others. @throws when a visitor gets a wrong answer or no
 * answer
 */
export async function updateBesideVisitors(
  bench: Bench,
  controlplane: Role,
  dataplane: Role,
  { redirects, updates, expectedPerSecond }: BurstOptions,
) {
  const requests = benchRequests(redirects, VISITED_HOSTS).map((request) => ({
    host: request.host,
    target: request.target,
    locations: [forwardedLocation(request)],
  }));
  const visit = async (seconds: number) => {
    const result = await loadAtFixedRate(bench, {
      server: 'waymark',
      port: dataplane.port,
      requests,
      connections: CONNECTIONS,
      requestsPerSecond: VISITS_PER_SECOND,
      seconds,
      spins: false,
    });
    if (result.failed > 0) throw new Error(`million: ${result.failed} visitors had no answer`);
    return result;
  };
  const quiet = await visit(QUIET_SECONDS);
  const burstSeconds = Math.max(1, (SHARE_OF_BURST * updates) / expectedPerSecond);
  const [busy, rate] = await Promise.all([visit(burstSeconds), updateMany(controlplane, updates)]);
  return {
    updates_per_s: rate.perSecond,
    updateCpuMs: rate.cpuMs,
    visitorP99Ms: quiet.p99Ms,
    visitorP99MsWhileUpdating: busy.p99Ms,
  };
}
