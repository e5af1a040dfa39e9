import { readFile } from 'node:fs/promises';
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { PLANS } from '../../../controlplane/areas/plans/default-plans.js';
import { makeServerCertificate } from '../server-certificate.fixture.js';
import {
  type ConsoleStage,
  findViolations,
  signInByToken,
  signInWithToken,
  tabTo,
} from './console.fixture.js';
import { startProxy } from './pausable-proxy.fixture.js';

const MAX_SCRIPT_BYTES = 150 * 1024;

/** Adds the tests that walk through all of the console: accessibility, the keyboard, the files that it loads. */
export function testWholeConsole(stageOf: () => ConsoleStage): void {
  test('has no violations of accessibility rules on any page, on a phone and on a desktop', async () => {
    const stage = stageOf();
    await stage.product.api('POST', '/redirects', {
      fromDomain: 'pending.example.org',
      toDomain: 'https://example.com',
      tags: ['a'],
    });
    const { page, complaints, close } = await signInWithToken(stage);
    type List = { data: { id: string; fromDomain: string }[] };
    const { body } = await stage.product.api<List>('GET', '/redirects');
    const idOf = (domain: string) => body.data.find(({ fromDomain }) => fromDomain === domain)?.id ?? '';
    const [live, pending] = [idOf('first.localhost'), idOf('pending.example.org')];
    await stage.product.api('POST', `/redirects/${live}/paths`, { source: '/a', destination: '/b' });
    await stage.product.api('PUT', `/redirects/${live}/paths/staged`, {
      entries: [{ source: '/a', destination: '/c' }],
    });
    await stage.product.api('POST', `/rules/redirect/${live}`, {
      name: 'Phones',
      type: 'force',
      conditions: [{ attribute: 'device_type', operator: 'equals', value: 'mobile' }],
      action: { type: 'redirect', url: 'https://m.example' },
    });
    await stage.product.api('PUT', `/redirects/${live}/draft`, {
      redirect: { note: 'Drafted' },
      rules: [],
      paths: { entries: [{ source: '/a', destination: '/c' }] },
    });
    const checked = await checkFile(stage, 'fromDomain,toDomain\nnew.localhost,https://a.example\n*,x\n');
    const files = makeServerCertificate(stage.folder, 'first.localhost');
    const uploaded = await stage.product.api('PUT', '/certificates/first.localhost', {
      certificate: await readFile(files.certificate, 'utf8'),
      privateKey: await readFile(files.key, 'utf8'),
    });
    expect(uploaded.status).toBe(200);
    const addresses = [
      '/redirects',
      '/redirects?new=1',
      '/redirects?search=nothing-like-this',
      `/redirects/${live}`,
      `/redirects/${pending}`,
      `/redirects/${live}/paths`,
      `/redirects/${pending}/paths`,
      `/redirects/${live}/settings`,
      ...[live, pending].flatMap((id) => [`/redirects/${id}/rules`, `/redirects/${id}/statistics`]),
      `/redirects/${live}/rules/new`,
      ...['history', 'examples', 'replay'].map((part) => `/redirects/${live}/${part}`),
      ...['', '/settings', '/paths', '/rules/new'].map((part) => `/redirects/${live}/draft${part}`),
      ...['/redirects/deleted', '/account/audit'],
      ...['/imports', `/imports/${checked.id}`, `/imports/${checked.id}?status=all`],
      ...['/account', '/account/tokens', '/account/webhooks', '/account/security'],
      ...['/operator', '/operator/users', '/operator/takedowns', '/nothing'],
      ...[
        '/operator/certificates',
        '/operator/destinations',
        '/operator/log',
        `/redirects/${live}/paths/staged`,
      ],
      ...['/log-in', '/sign-up', '/forgot-password'],
    ];
    const found: string[] = [];
    for (const address of addresses) {
      await openView(page, address);
      if (address.endsWith(pending)) await page.getByText('What DNS answers now').waitFor();
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        found.push(...(await findViolations(page)).map((text) => `${address} at ${width}: ${text}`));
        const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
        expect(scrollWidth, `${address} at ${width}`).toBeLessThanOrEqual(width);
      }
    }
    expect(found).toEqual([]);
    await openView(page, '/operator/certificates');
    const ending = page.locator('tr', { hasText: 'first.localhost' });
    await ending.getByText('Uploaded certificates are not renewed.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('shows a page of its own while the server is away, and loads again when it is back', async () => {
    const stage = stageOf();
    const proxy = await startProxy(stage.product.apiAddress);
    const { page, close } = await stage.newPage({ ignoresErrors: true });
    const address = `${proxy.address}/console/log-in?next=%2Fimports`;
    await page.goto(address);
    await page.evaluate('navigator.serviceWorker.ready');
    for (const state of ['refused', 'unreachable'] as const) {
      await page.getByLabel('E-mail address').waitFor();
      await proxy.setServer(state);
      await page.reload();
      await page.getByRole('heading', { name: 'The server does not answer' }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findViolations(page)).toEqual([]);
      }
      expect(page.url()).toBe(address);
      await proxy.setServer('there');
    }
    await page.getByLabel('E-mail address').waitFor();
    await proxy.setServer('refused');
    await close();
  });

  test('is used by the keyboard alone: finder, dialogs, a redirect, its rule and its statistics', async () => {
    const stage = stageOf();
    const { page, complaints, close } = await signInWithToken(stage);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('combobox');
    await page.keyboard.type('first.local');
    await page.getByRole('option', { name: 'first.localhost' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'first.localhost' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'New redirect' }).waitFor();
    await page.keyboard.type('keys.localhost');
    await page.keyboard.press('Tab');
    await page.keyboard.type('https://example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'keys.localhost' }).waitFor();
    await page.getByText('Active', { exact: true }).waitFor();

    await tabTo(page, 'Rules');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'New rule' }).waitFor();
    await tabTo(page, 'New rule');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('Typed rule');
    await tabTo(page, 'Destination');
    await page.keyboard.type('https://keys.example/');
    await tabTo(page, 'Save rule');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Typed rule' }).waitFor();
    const { visit } = stage.product;
    const location = async () => (await visit('keys.localhost', '/')).headers.location;
    await expect.poll(location).toBe('https://keys.example/');

    await tabTo(page, 'Statistics');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Visits over time' }).waitFor();
    await tabTo(page, 'Period');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.url()).toContain('days=7');
    await page.getByRole('img', { name: /^[1-9]\d* visits? in this period/ }).waitFor();
    await tabTo(page, /^[1-9]\d* visits? in this period/);
    await page.keyboard.press('ArrowLeft');
    await page.locator('.chart-value', { hasText: 'People' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('loads at most 150 KiB of compressed scripts, and reloads once when files of a page are gone', async () => {
    const stage = stageOf();
    const { page, context, close } = await stage.newPage({ ignoresErrors: true });
    const scripts: Response[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response);
    });
    await page.goto(`${stage.product.apiAddress}/console/log-in`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const headers = scripts.map((response) => response.headers());
    expect(new Set(headers.map((each) => each['content-encoding']))).toEqual(new Set(['br']));
    const bytes = headers.reduce((sum, each) => sum + Number(each['content-length']), 0);
    expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
    await signInByToken(stage, page);

    // A page that is not loaded yet says that the server is away. It opens when the server is back.
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Import and export' }).click();
    await page.getByText('The server does not answer.').waitFor();
    expect(await page.getByRole('link', { name: 'Redirects', exact: true }).isVisible()).toBe(true);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Import and export' }).waitFor();

    // After an upgrade, an open tab requests a file of the former version.
    let reloads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) reloads += 1;
    });
    await page.route(/assets\/(?:account|tokens)-[^/]+\.js$/, (route) => {
      const isThere = reloads > 0 && route.request().url().includes('/account-');
      return isThere ? route.continue() : route.fulfill({ status: 404, body: '{}' });
    });
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'Plans' }).waitFor();
    expect(reloads).toBe(1);
    // A file that stays away is no reason to reload for ever.
    await page.getByRole('link', { name: 'Access tokens' }).click();
    await page.getByText('A part of the console cannot be loaded.').waitFor();
    expect(reloads).toBe(2);
    await close();
  });

  test('reads the code and the data of a page together with its redirect', async () => {
    const stage = stageOf();
    const { api, apiAddress } = stage.product;
    const { body } = await api<{ id: string }>('POST', '/redirects', {
      fromDomain: 'together.localhost',
      toDomain: 'https://example.com',
    });
    const { page, complaints, close } = await signInWithToken(stage);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${apiAddress}/redirects/${body.id}`, async (route) => {
      await released;
      await route.continue();
    });
    const requests = [/\/rules\/redirect\//, /\/rules\/attributes$/, /\/assets\/rule-[^/]+\.js$/].map(
      (address) => page.waitForRequest(address),
    );
    await page.goto(`${apiAddress}/console/redirects/${body.id}/rules/new`);
    await Promise.all(requests);
    expect(await page.locator('h1').count()).toBe(0);
    release();
    await page.getByRole('heading', { name: 'together.localhost' }).waitFor();
    await page.getByLabel('Name').waitFor();
    // The plan limits redirects, and other tests add theirs.
    await api('DELETE', `/redirects/${body.id}`);
    expect(complaints).toEqual([]);
    await close();
  });

  test('asks less in a walk through its pages than the free plan allows in a minute', async () => {
    const stage = stageOf();
    const { body } = await stage.product.api<{ id: string }>('POST', '/redirects', {
      fromDomain: 'walk.localhost',
      toDomain: 'https://example.com',
    });
    const { page, close } = await stage.newPage();
    let counted = 0;
    page.on('response', (response) => {
      if ('x-ratelimit-limit' in response.headers()) counted += 1;
    });
    await page.goto(`${stage.product.apiAddress}/console/log-in`);
    await signInByToken(stage, page);
    const parts = ['', '/statistics', '/rules', '/paths', '/settings', '/history', '/examples', '/replay'];
    const addresses = parts.map((part) => `/redirects/${body.id}${part}`);
    for (const address of [...addresses, '/redirects', '/imports', '/account', '/account/tokens']) {
      await openView(page, address);
    }
    expect(counted).toBeGreaterThan(addresses.length);
    expect(counted).toBeLessThan(PLANS.free.requestsPerMinute);
    await close();
  });
}

/** Goes to a view as a link does, without loading the page again. */
async function openView(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${address}`)})`);
  await page.locator('h1').waitFor();
  await expect.poll(() => page.locator('.loading[role=status]').count()).toBe(0);
}

/** Has a file of redirects of the operator checked. Resolves to the finished import. */
async function checkFile({ product }: ConsoleStage, text: string): Promise<{ id: string; state: string }> {
  const { apiAddress, api, token } = product;
  const response = await fetch(`${apiAddress}/imports?format=csv&dryRun=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: text,
  });
  const { id } = (await response.json()) as { id: string };
  const read = async () => (await api<{ id: string; state: string }>('GET', `/imports/${id}`)).body;
  await expect.poll(async () => (await read()).state).toBe('finished');
  return read();
}
