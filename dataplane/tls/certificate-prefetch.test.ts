import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { ColdRedirects } from '../sync/cold/cold-redirects.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { createCertificatePrefetch } from './certificate-prefetch.js';
import { fingerprintsIn, hostsWithCertificates } from './packed-certificates.js';

const fingerprint = (digit: string) => digit.repeat(64);
const certificate = (digit: string) => ({ fingerprint: fingerprint(digit), notAfter: 1 });

function coldRedirects() {
  const cold = new ColdRedirects();
  cold.set(redirectOf('a.example', { certificate: certificate('a') }));
  cold.set(redirectOf('b.example', { certificate: certificate('b'), httpsMode: 'upgrade' }));
  cold.set(redirectOf('c.example', { destination: `https://x.example/?"fingerprint":"${fingerprint('c')}` }));
  cold.set(redirectOf('d.example'));
  return cold;
}

it('finds the fingerprints and hosts of packed redirects with certificates, and none in other texts', () => {
  const { pieces } = coldRedirects().capture();
  expect(pieces.flatMap((piece) => [...fingerprintsIn(piece)])).toEqual([fingerprint('a'), fingerprint('b')]);
  expect(pieces.flatMap((piece) => [...hostsWithCertificates(piece)])).toEqual(['a.example', 'b.example']);
});

it('requests what is not on disk, and removes what no redirect names', async () => {
  const prefetch = vi.fn(async () => {});
  const removeOlder = vi.fn(async () => {});
  const cache = {
    async *list() {
      yield* [fingerprint('b'), fingerprint('e')];
    },
    has: async () => false,
    removeOlder,
    removeUnfinished: async () => {},
    renew: async () => 0,
  };
  const prefetching = createCertificatePrefetch({
    cache,
    fetcher: { prefetch, fetch: () => {} },
    redirects: () => coldRedirects().capture(),
    logger: pino({ level: 'silent' }),
  });
  prefetching.start();
  await vi.waitFor(() => expect(removeOlder).toHaveBeenCalledTimes(1));
  await prefetching.stop();
  expect(prefetch.mock.calls).toEqual([[fingerprint('a')]]);
  expect(removeOlder).toHaveBeenCalledWith(fingerprint('e'), 86_400_000);
});
