import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createCoalescer } from '../../shared/async/coalescer.js';
import { messageOf } from '../../shared/process/error-facts.js';
import type { CapturedRedirects } from '../sync/cold/cold-redirects.js';
import { hostsWithCertificates } from './packed-certificates.js';

/** Pause after a search as a multiple of its duration. Searches so take at most 5 % of the processor's time. */
const PAUSE_FACTOR = 20;

/** Finds hosts of the ruleset that have a certificate and are below a loaded wildcard. */
export interface BelowWildcards {
  /** Called when a wildcard was loaded. */
  search(): void;
  stop(): Promise<void>;
}

export interface BelowWildcardsDeps {
  /** Returns the served redirects; undefined without a ruleset. */
  readonly redirects: () => CapturedRedirects | undefined;
  /**
   * Called for each host of the ruleset that names a certificate, including redirects that have been replaced during
   * the search.
   */
  readonly onHost: (host: string) => void;
  readonly logger: Logger;
}

export function createBelowWildcards({ redirects, onHost, logger }: BelowWildcardsDeps): BelowWildcards {
  const stopping = new AbortController();
  const { signal } = stopping;

  const searches = createCoalescer(async () => {
    const startedMs = performance.now();
    try {
      for (const piece of redirects()?.pieces ?? []) {
        for (const host of hostsWithCertificates(piece)) onHost(host);
        // Visitors are answered between the pieces, which have at most 256 KiB.
        await turn(undefined, { signal });
      }
      await delay(PAUSE_FACTOR * (performance.now() - startedMs), undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ problem: messageOf(error) }, 'hosts below wildcard certificates could not be searched');
    }
  });

  return {
    search: () => void searches.request(),
    async stop() {
      stopping.abort();
      await searches.stop();
    },
  };
}
