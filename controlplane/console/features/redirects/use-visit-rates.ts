import type { Redirect } from '@waymark/client';
import { useRef } from 'preact/hooks';

const WINDOW_MS = 60_000;
const MIN_SPAN_MS = 4_000;
/** Longer lists are not refreshed, so they have no rates. */
const MAX_REDIRECTS = 400;

interface Sample {
  readonly atMs: number;
  readonly visits: number;
}

/**
 * Returns the visits per minute of each redirect by its id. The rate is the growth of the redirect's counter between
 * refreshes of the list, over at most one minute. A redirect is absent until it has been read twice.
 *
 * @param readAtMs time of the last refresh
 */
export function useVisitRates(redirects: readonly Redirect[], readAtMs: number): ReadonlyMap<string, number> {
  const samples = useRef(new Map<string, readonly Sample[]>());
  const rates = useRef<ReadonlyMap<string, number>>(new Map());
  const lastRead = useRef(0);
  if (readAtMs === lastRead.current || redirects.length > MAX_REDIRECTS) return rates.current;
  lastRead.current = readAtMs;
  const next = new Map<string, readonly Sample[]>();
  const found = new Map<string, number>();
  for (const { id, analyticsUsage } of redirects) {
    const visits = analyticsUsage.estimatedTotalHits;
    const recent = (samples.current.get(id) ?? []).filter(({ atMs }) => readAtMs - atMs <= WINDOW_MS);
    next.set(id, [...recent, { atMs: readAtMs, visits }]);
    const [first] = recent;
    if (first === undefined || readAtMs - first.atMs < MIN_SPAN_MS) continue;
    // The counter restarts every month, so the difference can be negative.
    found.set(id, Math.max(0, ((visits - first.visits) * 60_000) / (readAtMs - first.atMs)));
  }
  samples.current = next;
  rates.current = found;
  return found;
}
