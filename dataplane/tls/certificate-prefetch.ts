import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createCoalescer } from '../../shared/async/coalescer.js';
import { isFingerprint } from '../../shared/certificates/certificate-exchange.js';
import { messageOf } from '../../shared/process/error-facts.js';
import type { CapturedRedirects } from '../sync/cold/cold-redirects.js';
import type { CertificateCache } from './certificate-cache.js';
import type { CertificateFetcher } from './certificate-fetcher.js';

const SCAN_INTERVAL_MS = 3_600_000;
/** A certificate that no redirect names is kept this long, in case an older ruleset returns. */
const KEEP_UNUSED_MS = 86_400_000;
/** `packed-line.ts` writes a certificate this way. A text that contains it has its quotes escaped. */
const MARK = Buffer.from('"fingerprint":"');
const FINGERPRINT_LENGTH = 64;

/** Keeps the certificates of the whole ruleset on disk, so that a start needs no other server. */
export interface CertificatePrefetch {
  /** A whole ruleset was taken over. */
  rulesetReplaced(): void;
  /** A redirect with this certificate was published. */
  named(fingerprint: string): void;
  start(): void;
  stop(): Promise<void>;
}

export interface CertificatePrefetchDeps {
  readonly cache: Pick<CertificateCache, 'list' | 'has' | 'removeOlder'>;
  readonly fetcher: Pick<CertificateFetcher, 'prefetch' | 'fetch'>;
  /** What is served; undefined without a ruleset. */
  readonly redirects: () => CapturedRedirects | undefined;
  readonly logger: Logger;
}

export function createCertificatePrefetch(deps: CertificatePrefetchDeps): CertificatePrefetch {
  const { cache, fetcher, redirects, logger } = deps;
  const scans = createCoalescer(scan);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function scan(): Promise<void> {
    const captured = redirects();
    if (captured === undefined || isStopped) return;
    try {
      const isUsed = new Map((await cache.list()).map((fingerprint) => [fingerprint, false]));
      for (const piece of captured.pieces) {
        for (const fingerprint of fingerprintsIn(piece)) {
          if (isStopped) return;
          if (!isUsed.has(fingerprint)) await fetcher.prefetch(fingerprint);
          isUsed.set(fingerprint, true);
        }
        // Visitors are answered between the pieces, which have at most 256 KiB.
        await turn();
      }
      for (const [fingerprint, used] of isUsed) {
        if (!used) await cache.removeOlder(fingerprint, KEEP_UNUSED_MS);
      }
    } catch (error) {
      logger.warn(
        { problem: messageOf(error) },
        'the saved certificates could not be compared with the ruleset',
      );
    }
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

/** Yields all fingerprints in lines of redirects, also those of lines that later ones replace. */
export function* fingerprintsIn(lines: Buffer): Generator<string> {
  for (let at = lines.indexOf(MARK); at !== -1; at = lines.indexOf(MARK, at + 1)) {
    const start = at + MARK.length;
    const fingerprint = lines.toString('latin1', start, start + FINGERPRINT_LENGTH);
    if (isFingerprint(fingerprint)) yield fingerprint;
  }
}
