/** Maximum sites that are remembered. */
const MAX_SITES = 10_000;

/** Spreads the requests of this process to one site over time. */
export interface SitePauses {
  /** Takes the next free moment of a site. Returns the wait until then in ms; undefined when it is more than `maxMs`. */
  take(site: string, maxMs: number): number | undefined;
}

/** @param intervalMs minimum time between two requests to a site */
export function createSitePauses(intervalMs: number): SitePauses {
  /** Next free moment by site. */
  const freeAt = new Map<string, number>();

  function forgetPast(nowMs: number): void {
    for (const [site, ms] of freeAt) if (ms <= nowMs) freeAt.delete(site);
  }

  return {
    take(site, maxMs) {
      const nowMs = performance.now();
      if (freeAt.size >= MAX_SITES) forgetPast(nowMs);
      const atMs = Math.max(nowMs, freeAt.get(site) ?? 0);
      if (atMs - nowMs > maxMs) return undefined;
      freeAt.set(site, atMs + intervalMs);
      return atMs - nowMs;
    },
  };
}
