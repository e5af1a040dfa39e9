import type { Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium } from '../browser.fixture.js';
import { makeDataDir } from '../product.fixture.js';
import { type ConsoleStage, findViolations, logIn, openStage, PASSWORD } from './console.fixture.js';

const MAX_SCRIPT_BYTES = 150 * 1024;

let stage: ConsoleStage;

describe.skipIf(chromium === undefined)('the console in a browser', () => {
  beforeAll(async () => {
    stage = await openStage(await makeDataDir(), `/usr/bin/${chromium}`);
  });
  afterAll(() => stage.stop());

  test('leads from the printed link to a live redirect in at most 6 clicks', async () => {
    const { page, complaints, close } = await stage.newPage();
    let clicks = 1;
    await page.goto(stage.link);
    await page.getByRole('heading', { name: 'Send your first visitor on' }).waitFor();
    expect(page.url()).toBe(`${stage.product.apiAddress}/console/redirects`);

    await page.getByRole('button', { name: 'New redirect' }).first().click();
    await page.getByLabel('Domain').fill('first.localhost');
    await page.getByLabel('Destination').fill('https://example.com/welcome');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    clicks += 2;
    await page.getByText('Active', { exact: true }).waitFor();
    expect(clicks).toBeLessThanOrEqual(6);
    await expect
      .poll(async () => (await stage.product.visit('first.localhost', '/a?b=1')).headers.location)
      .toBe('https://example.com/welcome/a?b=1');

    // The link works once.
    const second = await stage.newPage({ ignoresErrors: true });
    await second.page.goto(stage.link);
    await second.page
      .getByText('code must be that of a link that is neither used nor past its end')
      .waitFor();
    expect(complaints).toEqual([]);
    await Promise.all([close(), second.close()]);
  });

  test('takes a new user from sign-up through redirect, paths, settings and undo to the log-out', async () => {
    const { page, context, complaints, close } = await stage.newPage();
    await page.goto(`${stage.product.apiAddress}/`);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill('walker@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'New redirect' }).first().click();
    await page.getByLabel('Domain').fill('shop.example.org');
    await page.getByLabel('Destination').fill('https://example.com');
    await page.getByRole('button', { name: 'Create redirect' }).click();

    // DNS: what is wrong in words, and the page notices by itself when it is right.
    await page.getByText('Name does not exist in DNS').waitFor();
    const name = await page.locator('.copy-value').nth(1).textContent();
    const value = await page.locator('.copy-value').nth(2).textContent();
    expect(name).toBe('_waymark.shop.example.org');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy: Value' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(value);
    stage.dns.setTxt(name ?? '', [value ?? '']);
    await page.getByText('Active', { exact: true }).waitFor();

    // Paths, with a deletion that is undone, and where a visitor ends up.
    await page.getByRole('link', { name: 'Paths' }).click();
    await page.getByRole('button', { name: 'Add path' }).click();
    await page.getByLabel('Path', { exact: true }).fill('/old/*');
    await page.getByLabel('Destination').fill('/archive/*');
    await page.getByRole('button', { name: 'Save path' }).click();
    await page.getByRole('button', { name: 'Edit /old/*' }).click();
    await page.getByLabel('Note').fill('Moved');
    await page.getByRole('button', { name: 'Save path' }).click();
    await page.getByText('Moved').waitFor();
    await page.getByRole('button', { name: 'Delete /old/*' }).click();
    await page.getByRole('heading', { name: 'No paths yet' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Moved').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByLabel('Address').fill('/old/page');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The path pattern /old/* decides.').waitFor();
    await page.getByText('https://example.com/archive/page').waitFor();

    // Settings are kept, and a tag filters the list.
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Tags').fill('shop, moved');
    await page.getByLabel('Response headers').fill('X-Robots-Tag: noindex');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    expect(await page.getByLabel('Tags').inputValue()).toBe('shop, moved');
    expect(await page.getByLabel('Response headers').inputValue()).toBe('X-Robots-Tag: noindex');

    // Many at once: disabling, and a deletion that is undone.
    await page.getByRole('link', { name: 'Redirects' }).first().click();
    await page.getByLabel('Select shop.example.org').check();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.locator('.row').getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Send your first visitor on').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'shop.example.org' }).waitFor();

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('shows errors of the API beside their field, and keeps what is typed when the session ends', async () => {
    await stage.signUp('typist@example.com');
    const { page, context, close } = await stage.newPage({ ignoresErrors: true });
    await page.goto(`${stage.product.apiAddress}/console/redirects?new=1`);
    await logIn(page, 'typist@example.com');
    await page.getByLabel('Domain').fill('https://*');
    await page.getByLabel('Destination').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    const field = page.getByLabel('Domain');
    await page.locator('.field-error').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const error = page.locator('.field', { has: field }).locator('.field-error');
    expect(await error.textContent()).toContain('The domain has a wildcard');
    expect(await page.locator('.note-error').count()).toBe(0);
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);

    await field.fill('typed.localhost');
    await page.getByLabel('Destination').fill('https://example.com');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await logIn(page, 'typist@example.com');
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('typed.localhost');
    // A reload keeps it too.
    await page.reload();
    expect(await field.inputValue()).toBe('typed.localhost');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByRole('heading', { name: 'typed.localhost' }).waitFor();
    await close();
  });

  test('refuses what other pages could send with the session cookie, which no script can read', async () => {
    await stage.signUp('owner@example.com');
    const { page, context, close } = await stage.newPage({ ignoresErrors: true });
    const { apiAddress } = stage.product;
    await page.goto(`${apiAddress}/console`);
    await logIn(page, 'owner@example.com');
    await page.getByRole('heading', { name: 'Redirects', exact: true }).waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: 'wm_session', httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(await page.evaluate('document.cookie')).toBe('');

    // The same browser, without the header that only pages of this origin can set.
    const attack = { data: { fromDomain: 'attack.localhost', toDomain: 'https://example.com' } };
    const forged = await context.request.post(`${apiAddress}/redirects`, attack);
    expect(forged.status()).toBe(403);
    expect((await forged.json()).error.code).toBe('REQUESTED_WITH_REQUIRED');

    // A page of another site.
    const foreign = await context.newPage();
    await foreign.route('http://attacker.test/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>attacker</title>' }),
    );
    await foreign.goto('http://attacker.test/');
    const sent = (headers: string) =>
      foreign.evaluate<string>(`fetch(${JSON.stringify(`${apiAddress}/redirects`)}, { method: 'POST',
        credentials: 'include', headers: ${headers},
        body: '{"fromDomain":"attack.localhost","toDomain":"https://example.com"}' })
        .then((answer) => answer.type + answer.status, () => 'refused')`);
    expect(await sent("{ 'Content-Type': 'application/json', 'X-Requested-With': 'waymark' }")).toBe(
      'refused',
    );
    expect(await sent("{ 'Content-Type': 'text/plain' }")).toBe('refused');
    await foreign.goto(`${apiAddress}/console`);
    const list = await context.request.get(`${apiAddress}/redirects`);
    expect((await list.json()).data).toEqual([]);
    await close();
  });

  test('has no violations of accessibility rules on any page, on a phone and on a desktop', async () => {
    await stage.product.api('POST', '/redirects', {
      fromDomain: 'pending.example.org',
      toDomain: 'https://example.com',
      tags: ['a'],
    });
    const { page, complaints, close } = await signInWithToken();
    type List = { data: { id: string; fromDomain: string }[] };
    const { body } = await stage.product.api<List>('GET', '/redirects');
    const idOf = (domain: string) => body.data.find(({ fromDomain }) => fromDomain === domain)?.id ?? '';
    const [live, pending] = [idOf('first.localhost'), idOf('pending.example.org')];
    await stage.product.api('POST', `/redirects/${live}/paths`, { source: '/a', destination: '/b' });
    await stage.product.api('POST', `/rules/redirect/${live}`, {
      name: 'Phones',
      type: 'force',
      conditions: [{ attribute: 'device_type', operator: 'equals', value: 'mobile' }],
      action: { type: 'redirect', url: 'https://m.example' },
    });
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
      ...['/account', '/account/tokens', '/account/webhooks', '/account/security'],
      ...['/operator', '/operator/users', '/operator/takedowns', '/nothing'],
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
    expect(complaints).toEqual([]);
    await close();
  });

  test('builds rules that visitors meet, and shows their visits', async () => {
    const { page, close } = await signInWithToken();
    const { api, visit, apiAddress } = stage.product;
    type Created = { id: string };
    const fromDomain = 'ruled.localhost';
    const { body } = await api<Created>('POST', '/redirects', {
      fromDomain,
      toDomain: 'https://example.com',
    });
    await page.goto(`${apiAddress}/console/redirects/${body.id}/rules`);
    await page.getByRole('link', { name: 'New rule' }).click();
    await page.getByLabel('Name').fill('Front page');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Attribute').selectOption('url_path');
    await page.getByLabel('Operator').selectOption('in');
    await page.getByLabel('Values').fill('/');
    await page.getByLabel('Values').press('Enter');
    await page.getByLabel('Action').selectOption('ab_experiment');
    await page.getByLabel('Destination').first().fill('https://a.example');
    await page.getByLabel('Destination').last().fill('nowhere');
    await page.getByLabel('Share, in %').first().fill('70');
    await page.getByText('They must add up to 100 %.').waitFor();
    await page.getByRole('button', { name: 'Share equally' }).click();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.locator('.variant', { hasText: 'absolute http or https URL' }).waitFor();
    await page.getByLabel('Destination').last().fill('https://b.example');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('A/B test: A 50 %, B 50 %').waitFor();
    const location = async (target: string) => (await visit(fromDomain, target)).headers.location;
    await expect.poll(() => location('/')).toMatch(/^https:\/\/[ab]\.example$/);

    // Order by keyboard, and status.
    await api('POST', `/rules/redirect/${body.id}`, {
      name: 'Last',
      type: 'force',
      status: 'active',
      action: { type: 'redirect', url: 'https://last.example' },
    });
    await page.reload();
    await page.getByRole('button', { name: 'Move Last up' }).press('Enter');
    await expect.poll(() => page.locator('.rule-name').allTextContents()).toEqual(['Last', 'Front page']);
    await expect.poll(() => location('/')).toBe('https://last.example');
    await page.getByLabel('Activate Last').uncheck();
    await expect.poll(() => location('/other')).toBe('https://example.com');

    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.getByRole('heading', { name: 'Visits over time' }).waitFor();
    const bots = page.locator('.card', { has: page.getByRole('heading', { name: 'Bots' }) });
    await bots.getByRole('button').first().click();
    expect(page.url()).toContain('bots=true');
    await page.locator('.hits tbody tr').first().waitFor();
    await page.getByLabel('Period', { exact: true }).selectOption('7');
    expect(page.url()).toContain('days=7');
    // The plan of this user has room for few redirects.
    await api('DELETE', `/redirects/${body.id}`);
    await close();
  });

  test('is used by the keyboard alone: finder, shortcuts, dialogs', async () => {
    const { page, complaints, close } = await signInWithToken();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
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
    expect(complaints).toEqual([]);
    await close();
  });

  test('loads at most 150 KiB of compressed scripts, and reloads once when files of a page are gone', async () => {
    const { page, close } = await stage.newPage({ ignoresErrors: true });
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
    await signInByToken(page);

    // As after an upgrade: the tab asks for a file of the former version.
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
    await page.getByText('The console failed.').waitFor();
    expect(reloads).toBe(2);
    await close();
  });
});

/** Goes to a view as a link does, without loading the page again. */
async function openView(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${address}`)})`);
  await page.locator('h1').waitFor();
  await expect.poll(() => page.locator('.loading[role=status]').count()).toBe(0);
}

/** A page of the operator. */
async function signInWithToken() {
  const opened = await stage.newPage();
  await opened.page.goto(`${stage.product.apiAddress}/console/log-in`);
  await signInByToken(opened.page);
  return opened;
}

async function signInByToken(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in with an access token' }).click();
  await page.getByLabel('Access token').fill(stage.product.token ?? '');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { name: 'Redirects', exact: true }).waitFor();
}
