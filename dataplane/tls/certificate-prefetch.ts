import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createCoalescer } from '../../shared/async/coalescer.js';
import { messageOf } from '../../shared/process/error-facts.js';
import type { CapturedRedirects } from '../sync/cold/cold-redirects.js';
import type { CertificateCache } from './certificate-cache.js';
import type { CertificateFetcher } from './certificate-fetcher.js';
import { FingerprintSet } from './fingerprint-set.js';
import { fingerprintsIn } from './packed-certificates.js';

const SCAN_INTERVAL_MS = 3_600_000;
/** A certificate that no redirect names is kept this long, in case an older ruleset returns. */
const KEEP_UNUSED_MS = 86_400_000;

/** Keeps the certificates of the whole ruleset on disk, so a start needs no other server. */
export interface CertificatePrefetch {
  /** Called when a whole ruleset was taken over. */
  rulesetReplaced(): void;
  /** Called when a redirect with this certificate was published. */
  named(fingerprint: string): void;
  start(): void;
  stop(): Promise<void>;
}

export interface CertificatePrefetchDeps {
  readonly cache: Pick<CertificateCache, 'list' | 'has' | 'removeOlder' | 'removeUnfinished' | 'renew'>;
  readonly fetcher: Pick<CertificateFetcher, 'prefetch' | 'fetch'>;
  /** Returns the served redirects; undefined without a ruleset. */
  readonly redirects: () => CapturedRedirects | undefined;
  readonly logger: Logger;
}

export function createCertificatePrefetch(deps: CertificatePrefetchDeps): CertificatePrefetch {
  const { cache, fetcher, redirects, logger } = deps;
  const scans = createCoalescer(scan);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isTidy = false;

  async function scan(): Promise<void> {
    const captured = redirects();
    if (captured === undefined || isStopped) return;
    try {
      await tidyOnce();
      const saved = new FingerprintSet();
      for await (const fingerprint of cache.list()) saved.add(fingerprint);
      for (const piece of captured.pieces) {
        for (const fingerprint of fingerprintsIn(piece)) {
          if (isStopped) return;
          if (!saved.mark(fingerprint)) await fetcher.prefetch(fingerprint);
        }
        // Visitors are answered between the pieces, which have at most 256 KiB.
        await turn();
      }
      // Certificates that were saved meanwhile are not marked, but are not that old.
      for await (const fingerprint of cache.list()) {
        if (!saved.isMarked(fingerprint)) await cache.removeOlder(fingerprint, KEEP_UNUSED_MS);
      }
    } catch (error) {
      logger.warn(
        { problem: messageOf(error) },
        'the saved certificates could not be compared with the ruleset',
      );
    }
  }

  /** A killed process may have left unfinished files, and SECRET_KEY may have been replaced. */
  async function tidyOnce(): Promise<void> {
    if (isTidy) return;
    isTidy = true;
    await cache.removeUnfinished();
    const renewed = await cache.renew();
    if (renewed > 0)
      logger.info({ count: renewed }, 'saved certificates are encrypted with the new SECRET_KEY');
  }

  return {
    rulesetReplaced: () => void scans.request(),
    named(fingerprint) {
      void cache.has(fingerprint).then((known) => {
        if (!known) fetcher.fetch(fingerprint);
      });
    },
    start() {
      timer = setInterval(() => void scans.request(), SCAN_INTERVAL_MS);
      void scans.request();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await scans.stop();
    },
  };
}
