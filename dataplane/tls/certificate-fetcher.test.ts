import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import type { CertificateCache } from './certificate-cache.js';
import { createCertificateFetcher } from './certificate-fetcher.js';
import { createCurrentChallenges } from './challenges.js';
import { createNameReports } from './name-reports.js';

const FINGERPRINT = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);

it('requests an absent certificate again for a handshake after a scan, but not for each handshake', async () => {
  const requested: string[] = [];
  const fetcher = createCertificateFetcher({
    source: {
      async request({ fingerprints }) {
        requested.push(...fingerprints);
        return { certificates: [], challengeThumbprints: [] };
      },
    },
    cache: { readChallenges: async () => undefined, saveChallenges: async () => {} } as Pick<
      CertificateCache,
      'readChallenges' | 'saveChallenges'
    > as CertificateCache,
    challenges: createCurrentChallenges(),
    reports: createNameReports(),
    onSaved: () => {},
    logger: pino({ level: 'silent' }),
  });
  await fetcher.start();
  await fetcher.prefetch(FINGERPRINT);
  await vi.waitFor(() => expect(requested).toEqual([FINGERPRINT]));
  await vi.waitFor(() => {
    fetcher.fetch(FINGERPRINT);
    expect(requested).toEqual([FINGERPRINT, FINGERPRINT]);
  });
  // The answer to the second request is noted before the third request is sent.
  await vi.waitFor(() => {
    fetcher.fetch(OTHER);
    expect(requested).toContain(OTHER);
  });
  fetcher.fetch(FINGERPRINT);
  await fetcher.prefetch('c'.repeat(64));
  await vi.waitFor(() => expect(requested).toContain('c'.repeat(64)));
  expect(requested).toEqual([FINGERPRINT, FINGERPRINT, OTHER, 'c'.repeat(64)]);
  await fetcher.stop();
});
