import { createCoalescer } from '../../shared/async/coalescer.js';
import type { CertificateCache } from './certificate-cache.js';

/** Maximum number of fingerprints that are waited for. Further ones are noticed when the workers are replaced. */
const MAX_WAITING = 10_000;

/** Waits until certificates of the ruleset are on disk, and requests those that are not. */
export interface SavedCertificates {
  /** Calls `run` once when the certificate is on disk, if the redirect of the host still names it then. */
  once(fingerprint: string, host: string, run: () => void): void;
  /** Runs the callbacks that wait for a certificate that this process has saved. */
  saved(fingerprint: string): void;
  /** Checks all again: another process may have saved them, and requests may have failed. */
  check(): void;
  stop(): Promise<void>;
}

export interface SavedCertificatesDeps {
  readonly cache: Pick<CertificateCache, 'has'>;
  readonly fetch: (fingerprint: string) => void;
  /** Returns whether the redirect of a host names a certificate. */
  readonly isNamed: (host: string, fingerprint: string) => boolean;
}

export function createSavedCertificates(deps: SavedCertificatesDeps): SavedCertificates {
  const { cache, fetch, isNamed } = deps;
  const waiting = new Map<string, Map<string, () => void>>();
  const checks = createCoalescer(async () => {
    for (const fingerprint of [...waiting.keys()]) await look(fingerprint);
  });
  let isStopped = false;

  function finish(fingerprint: string): void {
    const runs = waiting.get(fingerprint);
    waiting.delete(fingerprint);
    if (runs === undefined || isStopped) return;
    for (const [host, run] of runs) if (isNamed(host, fingerprint)) run();
  }

  async function look(fingerprint: string): Promise<void> {
    if (await cache.has(fingerprint)) return finish(fingerprint);
    const runs = waiting.get(fingerprint);
    if (runs === undefined || isStopped) return;
    for (const host of runs.keys()) if (!isNamed(host, fingerprint)) runs.delete(host);
    if (runs.size === 0) waiting.delete(fingerprint);
    else fetch(fingerprint);
  }

  return {
    once(fingerprint, host, run) {
      const runs = waiting.get(fingerprint) ?? new Map<string, () => void>();
      if (runs.size === 0 && waiting.size >= MAX_WAITING) return;
      waiting.set(fingerprint, runs.set(host, run));
      void look(fingerprint);
    },
    saved: finish,
    check: () => void checks.request(),
    async stop() {
      isStopped = true;
      await checks.stop();
    },
  };
}
