import { beforeAll, expect, test, vi } from 'vitest';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { HOST, type Installation, install, storedHits } from './crash-product.fixture.js';
import { DAMAGES, FILES } from './damage.fixture.js';
import { type Product, startForTest } from './product.fixture.js';

const TIMEOUT_MS = 120_000;
const VISITS = 6;
const HOSTS = ['one.localhost', 'two.localhost'];
/** Matches the message of a start or a statement about missing data. */
const SAID = /put aside|begin anew|begins anew/;

let installation: Installation;
beforeAll(async () => {
  installation = await install({ hosts: HOSTS, visits: VISITS });
}, TIMEOUT_MS);

/** `DAMAGE=all` tries every damage on every file, which takes some ten minutes. */
const { DAMAGE = 'flipped' } = processEnvironment();
const damages = Object.keys(DAMAGES).filter((damage) => DAMAGE === 'all' || damage === DAMAGE);
const cases = Object.keys(FILES).flatMap((file) =>
  damages.map((damage) => ({ file, damage: damage as keyof typeof DAMAGES })),
);

/**
 * Expects that visitors are served, and that every part which answers either has all data or reports what is missing.
 */
async function expectNothingSilentlyEmpty(product: Product): Promise<void> {
  for (const host of [HOST, ...HOSTS]) {
    await vi.waitFor(async () => expect((await product.visit(host, '/')).status).toBe(302));
  }
  const listed = await product.api<readonly unknown[]>('GET', '/get-redirects/me');
  if (listed.status === 503) {
    expect((await product.api('GET', '/readyz')).body).toMatchObject({
      ready: false,
      reasons: expect.anything(),
    });
    return;
  }
  expect(listed.status).toBe(200);
  expect(listed.body).toHaveLength(HOSTS.length + 1);
  const hits = await storedHits(product, installation.redirectId);
  if (hits !== undefined && hits < VISITS) expect(product.output()).toMatch(SAID);
}

test.each(cases)(
  '$file, $damage: served, refused clearly, or put aside',
  ({ file, damage }) =>
    installation.withCopy(async (dataDir) => {
      const place = FILES[file]?.(dataDir) ?? '';
      DAMAGES[damage](place);
      const started = await startForTest({ dataDir, token: installation.token }).catch(
        (error: Error) => error,
      );
      if (started instanceof Error) {
        const [how, printed = ''] = started.message.split('; it printed:\n');
        expect(how).toContain('ended at start with 1');
        // A worker that fails first is logged as well.
        expect(
          printed
            .trim()
            .split('\n')
            .filter((line) => !line.startsWith('{')),
        ).toHaveLength(1);
        expect(printed).toContain(place);
        return;
      }
      await expectNothingSilentlyEmpty(started);
      expect(await started.end('SIGTERM')).toBe(0);
    }),
  TIMEOUT_MS,
);
