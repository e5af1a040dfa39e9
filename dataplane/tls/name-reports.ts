import { MAX_REPORTED_NAMES } from '../../shared/certificates/certificate-exchange.js';

/** Time for which a name is not reported again. */
const PERIOD_MS = 3_600_000;
/** Maximum number of names per wildcard and period. Forged names of one zone then do not displace those of others. */
const MAX_PER_WILDCARD = 50;
/** Maximum number of names per period. */
const MAX_NAMES = 5_000;

/**
 * Names of handshakes that a wildcard redirect serves and that have no certificate. Each is reported once in a period. The control
 * plane decides which of them get a certificate.
 */
export interface NameReports {
  /** Notes a handshake. Takes constant time and memory for any names that clients send. */
  see(name: string, wildcard: string): void;
  /** Returns the names for the next report. */
  next(): readonly string[];
  /** Must be called when a report has arrived. */
  sent(names: readonly string[]): void;
  /** Counts since the start of the process. */
  readonly stats: { reported: number; beyondLimit: number };
}

/** @param nowMs monotonic clock. Default: that of the process */
export function createNameReports(nowMs: () => number = () => performance.now()): NameReports {
  const seen = new Set<string>();
  const waiting = new Set<string>();
  const counts = new Map<string, number>();
  const stats = { reported: 0, beyondLimit: 0 };
  let periodEndMs = Number.NEGATIVE_INFINITY;

  return {
    stats,
    see(name, wildcard) {
      if (nowMs() >= periodEndMs) {
        periodEndMs = nowMs() + PERIOD_MS;
        seen.clear();
        counts.clear();
      }
      if (seen.has(name) || waiting.has(name)) return;
      const count = counts.get(wildcard) ?? 0;
      if (count >= MAX_PER_WILDCARD || seen.size >= MAX_NAMES || waiting.size >= MAX_NAMES) {
        stats.beyondLimit += 1;
        return;
      }
      counts.set(wildcard, count + 1);
      seen.add(name);
      waiting.add(name);
    },
    next() {
      const names: string[] = [];
      for (const name of waiting) {
        if (names.length === MAX_REPORTED_NAMES) break;
        names.push(name);
      }
      return names;
    },
    sent(names) {
      for (const name of names) waiting.delete(name);
      stats.reported += names.length;
    },
  };
}
