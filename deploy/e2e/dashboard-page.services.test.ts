import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { QUESTIONS } from '../../controlplane/areas/analytics/questions/questions.js';
import { startDnsServer } from '../../controlplane/areas/domains/dns-server.fixture.js';
import { chromium, openBrowser } from './browser.fixture.js';
import { dashboardPage, type PageState } from './dashboard-page.fixture.js';
import { startForTest, withDataDir } from './product.fixture.js';

const STATISTICS = QUESTIONS.map(({ path }) => path.replace(/^stats\//, ''));
const VISITS = 12;
const PATIENCE = { timeout: 60_000, interval: 100 };

/** Another site than that of the API, which listens at 127.0.0.1. */
async function serve(page: string): Promise<string> {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

test.skipIf(chromium === undefined)(
  'a dashboard of another origin signs in, lists, creates, verifies, edits rules and draws every statistic',
  { timeout: 180_000 },
  () =>
    withDataDir(async (dataDir) => {
      const dns = await startDnsServer();
      onTestFinished(() => dns.close());
      const origin = await serve(dashboardPage(STATISTICS));
      const product = await startForTest({
        dataDir,
        // The rate limit is that of the plan: one view of a dashboard has to fit.
        environment: { CORS_ORIGINS: origin, DNS_SERVERS: dns.address, RATE_LIMIT_MULTIPLIER: '1' },
      });
      const browser = await openBrowser();
      const state = () => browser.read<PageState>('window.state');
      const reach = (isReached: (found: PageState) => boolean) =>
        vi.waitFor(async () => {
          const found = await state();
          if (!isReached(found) && found.failures.length === 0) throw new Error(`still at ${found.step}`);
          expect(found.failures).toEqual([]);
          return found;
        }, PATIENCE);

      await browser.open(`${origin}/?api=${encodeURIComponent(product.apiAddress)}`);
      const { created, seen } = await reach((found) => found.created !== undefined);
      if (created === undefined) throw new Error('nothing was created');
      expect(seen).toEqual({
        'X-RateLimit-Limit': '300',
        'X-RateLimit-Remaining': expect.stringMatching(/^29\d$/),
        'X-RateLimit-Reset': expect.stringMatching(/^\d+$/),
        'X-Request-Id': expect.stringMatching(/./),
        'Idempotent-Replayed': 'true',
      });
      dns.setTxt(created.verification.name, [created.verification.value]);
      await browser.read('window.proceed = "verify"');
      await reach(({ step }) => step === 'visit');

      await vi.waitFor(async () => {
        expect((await product.visit('old.example', '/first')).status).toBe(302);
      }, PATIENCE);
      for (let visit = 1; visit < VISITS; visit += 1) await product.visit('old.example', `/${visit}`);
      await vi.waitFor(async () => {
        const stats = await fetch(`${product.apiAddress}/analytics/redirect/${created.id}/stats/basic`, {
          headers: { authorization: `Bearer ${created.token}` },
        });
        expect(await stats.json()).toMatchObject({ data: { totalHits: VISITS } });
      }, PATIENCE);
      await browser.read('window.proceed = "read"');
      const { statistics, several, bars } = await reach(({ step }) => step === 'done');
      expect(Object.keys(statistics ?? {}).sort()).toEqual([...STATISTICS].sort());
      expect(Object.keys(several ?? {}).sort()).toEqual([...STATISTICS].sort());
      expect(statistics).toMatchObject({
        basic: { totalHits: VISITS },
        hourly: { summary: { totalHits: VISITS } },
      });
      expect(several).toEqual(statistics);
      expect(Object.entries(bars ?? {}).filter(([, drawn]) => drawn === 0)).toEqual([]);
      expect(Object.keys(bars ?? {})).toHaveLength(STATISTICS.length);
      expect(browser.complaints()).toEqual([]);
    }),
);
