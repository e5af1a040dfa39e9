import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Browser, chromium, openBrowser } from './browser.fixture.js';
import { type Product, startForTest, withDataDir } from './product.fixture.js';

interface Answer<T> {
  readonly data: T;
}

/** Starts the page to which users are sent back. */
async function startDashboard(): Promise<string> {
  const server = http.createServer((request, response) => {
    const isPage = request.url?.startsWith('/billing') === true;
    response.writeHead(isPage ? 200 : 204, { 'content-type': 'text/html' });
    response.end(isPage ? '<link rel="icon" href="data:,"><h1>The dashboard</h1>' : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/billing`;
}

const heading = (browser: Browser) => browser.read<string>('document.querySelector("h1").textContent');
const notice = (browser: Browser) => browser.read<string>('document.querySelector(".notice").textContent');

/** Expects that a page has its style, which the policy could have blocked, and does not scroll sideways. */
async function expectToLookRight(browser: Browser): Promise<void> {
  const warning = 'getComputedStyle(document.querySelector(".sandbox"))';
  expect(await browser.read(`${warning}.borderTopWidth`)).toBe('2px');
  expect(await browser.read(`${warning}.backgroundColor`)).toBe('rgb(255, 246, 224)');
  for (const width of [320, 800]) {
    await browser.resize(width);
    expect(await browser.read('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
}

async function subscriptionStatus(product: Product): Promise<string | undefined> {
  type Subscribed = Answer<{ subscription: { status: string } | null }>;
  const { body } = await product.api<Subscribed>('GET', '/payment/subscription');
  return body.data.subscription?.status;
}

test.skipIf(chromium === undefined)(
  'a browser pays for a plan on the sandbox, comes back, and reads the documentation',
  () =>
    withDataDir(async (dataDir) => {
      const dashboard = await startDashboard();
      const product = await startForTest({ dataDir, environment: { DASHBOARD_URL: dashboard } });
      const browser = await openBrowser();
      type Checkout = Answer<{ checkoutUrl: string; checkoutId: string }>;
      const checkout = await product.api<Checkout>('POST', '/payment/checkout', { planId: 'pro' });
      const { checkoutUrl, checkoutId } = checkout.body.data;

      await browser.open(checkoutUrl);
      await expectToLookRight(browser);
      const before = await browser.picture();
      await browser.press('button[value=decline]');
      expect(await notice(browser)).toContain('declined');
      expect(await subscriptionStatus(product)).toBeUndefined();
      expect((await browser.picture()).equals(before)).toBe(false);

      await browser.press('button[value=succeed]');
      expect(await browser.read('location.href')).toBe(`${dashboard}?checkout_id=${checkoutId}`);
      expect(await heading(browser)).toBe('The dashboard');
      expect(await subscriptionStatus(product)).toBe('active');

      const portal = await product.api<Answer<{ portalUrl: string }>>('POST', '/payment/portal');
      await browser.open(portal.body.data.portalUrl);
      await expectToLookRight(browser);
      await browser.press('button[value=cancel]');
      expect(await notice(browser)).toMatch(
        /^The subscription is cancelled\. Access to the plan Pro goes on until /,
      );
      expect(await subscriptionStatus(product)).toBe('canceled');
      await browser.press('a[rel=noreferrer]');
      expect(await browser.read('location.href')).toBe(dashboard);

      await browser.open(`${product.apiAddress}/docs/`);
      const text = () => browser.read<string>('document.body.innerText');
      await expect.poll(text, { timeout: 120_000 }).toContain('/add-redirect');
      expect(browser.complaints()).toEqual([]);

      await browser.open(`${product.apiAddress}/sandbox/checkout/unknown`);
      expect(await heading(browser)).toBe('This page does not exist');
      expect(await product.end('SIGTERM')).toBe(0);
    }),
);
