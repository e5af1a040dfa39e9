import { readFile } from 'node:fs/promises';
import type { Locator, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium } from '../browser.fixture.js';
import { makeDataDir } from '../product.fixture.js';
import { makeServerCertificate } from '../server-certificate.fixture.js';
import { testChanges } from './changes.fixture.js';
import {
  type ConsoleStage,
  findViolations,
  logIn,
  openStage,
  PASSWORD,
  signInByToken,
  signInWithToken,
  tabTo,
} from './console.fixture.js';
import { testLists } from './lists.fixture.js';

const MAX_SCRIPT_BYTES = 150 * 1024;
/** Enough to be canceled before its end. */
const LONG_IMPORT_ROWS = 60_000;
/** Length of the longest line of a border across the map, which is 1,000 wide. */
const LONGEST_BORDER = `Math.max(...[...document.querySelectorAll('.map path')].flatMap((path) =>
  path.getAttribute('d').split('M').slice(1).flatMap((ring) => {
    const across = ring.slice(0, -1).split('L').map((point) => Number(point.split(',')[0]));
    return across.slice(1).map((x, index) => Math.abs(x - across[index]));
  }),
))`;
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

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
    const deleted = page.locator('.toast', { hasText: '1 redirect deleted.' });
    await deleted.getByRole('button', { name: 'Undo' }).click();
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
    // A reload keeps it too, and says so.
    expect(await page.getByText('Unsaved changes: restored what you had typed.').count()).toBe(0);
    await page.reload();
    await page.getByText('Unsaved changes: restored what you had typed.').waitFor();
    expect(await field.inputValue()).toBe('typed.localhost');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByRole('heading', { name: 'typed.localhost' }).waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Tags').fill('half-typed');
    await page.reload();
    await page.getByText('Unsaved changes: restored what you had typed.').waitFor();
    expect(await page.getByLabel('Tags').inputValue()).toBe('half-typed');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('');
    expect(await page.getByText('Unsaved changes: restored what you had typed.').count()).toBe(0);
    await page.reload();
    await page.getByLabel('Tags').waitFor();
    expect(await page.getByText('Unsaved changes: restored what you had typed.').count()).toBe(0);
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
    const { page, complaints, close } = await signInWithToken(stage);
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
    const checked = await checkFile('fromDomain,toDomain\nnew.localhost,https://a.example\n*,x\n');
    const files = makeServerCertificate(await makeDataDir(), 'first.localhost');
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
      ...['history', 'examples'].map((part) => `/redirects/${live}/${part}`),
      ...['/redirects/deleted', '/account/audit'],
      ...['/imports', `/imports/${checked.id}`, `/imports/${checked.id}?status=all`],
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
    await openView(page, '/operator');
    const ending = page.locator('tr', { hasText: 'first.localhost' });
    await ending.getByText('Uploaded certificates are not renewed.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('imports a file after a dry run that shows each row, and exports it', async () => {
    await stage.signUp('importer@example.com');
    const { page, complaints, close } = await stage.newPage();
    await page.goto(`${stage.product.apiAddress}/console/imports`);
    await logIn(page, 'importer@example.com');
    await page.getByRole('button', { name: 'Import file' }).click();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.locator('.field-error', { hasText: 'Choose a file.' }).waitFor();
    const text =
      'fromDomain,toDomain\none.localhost,https://a.example\nbad.localhost,ftp://a.example\ntwo.localhost,https://b.example\n';
    await chooseFile(page, 'redirects.csv', text);
    await expect.poll(() => page.getByLabel('Format').inputValue()).toBe('csv');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Check the file' }).click();

    // The rows that fail come first, in the words of the API.
    await page.getByText('This was a check. Nothing was changed.').waitFor();
    const rows = page.locator('.table tbody tr');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().textContent()).toMatch(
      /^2Fails.*bad\.localhost.*toDomain The destination does not/,
    );
    await page.getByLabel('Show rows').selectOption('');
    await expect.poll(() => rows.count()).toBe(3);
    const file = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download failed rows (CSV)' }).click();
    expect(await readFile(await (await file).path(), 'utf8')).toMatch(/^row,status,.*\r?\n2,failed,/);

    await page.getByRole('button', { name: 'Import 2 rows' }).click();
    await page.getByRole('heading', { name: 'Import of redirects (csv)' }).waitFor();
    await page.getByText('3 of 3').waitFor();
    await page.getByText('Finished').waitFor();
    await page.getByRole('link', { name: 'Redirects', exact: true }).click();
    await page.getByRole('link', { name: 'two.localhost' }).waitFor();

    await page.getByRole('link', { name: 'Import and export' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    const exported = page.waitForEvent('download');
    await page.getByRole('link', { name: 'NDJSON' }).click();
    expect(await readFile(await (await exported).path(), 'utf8')).toContain('"fromDomain":"one.localhost"');
    // The file of the check is gone with the page that knew it.
    await page.getByRole('link', { name: 'Redirects, csv, check' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Choose the file again to import it' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('shows what is wrong with a whole file, and cancels an import that runs', async () => {
    await stage.signUp('canceler@example.com');
    const { page, close } = await stage.newPage({ ignoresErrors: true });
    await page.goto(`${stage.product.apiAddress}/console/imports`);
    await logIn(page, 'canceler@example.com');
    await page.getByRole('button', { name: 'Import file' }).click();
    await chooseFile(page, 'redirects.csv', 'wrong,columns\n1,2\n');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.locator('.note-error', { hasText: 'wrong' }).waitFor();

    const row = (_: unknown, index: number) =>
      `{"fromDomain":"${index}.localhost","toDomain":"https://a.example"}`;
    await chooseFile(page, 'many.ndjson', Array.from({ length: LONG_IMPORT_ROWS }, row).join('\n'));
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    await page.getByText('Canceled').waitFor();
    expect(await page.getByRole('button', { name: /^Import/ }).count()).toBe(0);
    await close();
  });

  test('turns paths that visitors miss into entries, and changes the options of the table', async () => {
    const { api, visit, apiAddress } = stage.product;
    const fromDomain = 'missed.localhost';
    const { body } = await api<{ id: string }>('POST', '/redirects', {
      fromDomain,
      toDomain: 'https://example.com',
    });
    const person = { headers: { 'user-agent': PERSON } };
    await expect.poll(async () => (await visit(fromDomain, '/lost?lang=de', person)).status).toBe(301);
    const { page, complaints, close } = await signInWithToken(stage);
    await page.goto(`${apiAddress}/console/redirects/${body.id}/paths`);
    const add = page.getByRole('button', { name: 'Add an entry for /lost' });
    await expect.poll(() => reloaded(page, add)).toBe(true);
    await add.click();
    expect(await page.getByLabel('Path', { exact: true }).inputValue()).toBe('/lost');
    await page.getByLabel('Destination').fill('/found');
    await page.getByRole('button', { name: 'Add parameter' }).click();
    await page.getByLabel('Parameter', { exact: true }).fill('lang');
    await page.getByLabel('Value').fill('de');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save path' }).click();
    await page.getByText('?lang=de').waitFor();
    const location = async (target: string) => (await visit(fromDomain, target)).headers.location;
    await expect.poll(() => location('/lost?lang=de')).toBe('https://example.com/found');
    expect(await location('/lost?lang=fr')).toBe('https://example.com');

    // Without the condition, the entry decides all visits of the path, so it is no longer missed.
    await add.waitFor();
    await page.getByRole('button', { name: 'Edit /lost' }).click();
    expect(await page.getByLabel('Parameter', { exact: true }).inputValue()).toBe('lang');
    await page.getByRole('button', { name: 'Remove lang' }).click();
    await page.getByRole('button', { name: 'Save path' }).click();
    await add.waitFor({ state: 'detached' });

    await page.getByLabel('Ignore case').check();
    await page.getByLabel('Paths without an entry').selectOption('gone');
    await page.getByRole('button', { name: 'Save options' }).click();
    await page.getByText('Options saved.').waitFor();
    await expect.poll(() => location('/LOST')).toBe('https://example.com/found');
    expect((await visit(fromDomain, '/other')).status).toBe(410);

    // Paths are imported on their own page.
    await page.getByRole('button', { name: 'Import paths' }).click();
    await chooseFile(page, '_redirects', '/from-file /to-file 301\n');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByRole('heading', { name: 'Import of paths (netlify)' }).waitFor();
    await page.getByText('Finished').waitFor();
    await page.getByRole('link', { name: 'Paths of the redirect' }).click();
    await page.getByText('/from-file').waitFor();
    await api('DELETE', `/redirects/${body.id}`);
    expect(complaints).toEqual([]);
    await close();
  });

  test('builds rules that visitors meet, and shows their visits', async () => {
    const { page, close } = await signInWithToken(stage);
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

    // Rows of lists, and countries of the map, filter the visits.
    await visit(fromDomain, '/', { headers: { 'x-forwarded-for': '8.8.8.8', 'user-agent': PERSON } });
    await page.getByText(/^\d+ visits? in the last minute$/).waitFor();
    await page.getByLabel('Who').selectOption('');
    const rules = page.locator('.card', { has: page.getByRole('heading', { name: 'Rules', exact: true }) });
    await expect.poll(() => reloaded(page, rules.getByRole('button', { name: 'Front page' }))).toBe(true);
    await rules.getByRole('button', { name: 'Front page' }).click();
    expect(page.url()).toContain('ruleId=');
    const places = page.locator('.hits tbody tr td:last-child');
    await page.getByRole('button', { name: 'Remove the filter Rule: Front page' }).waitFor();
    // Russia and Fiji lie on both edges of the map: no border crosses it.
    expect(await page.evaluate(LONGEST_BORDER)).toBeLessThan(200);
    await page.locator('.map .map-4').first().click();
    expect(page.url()).toContain('country=US');
    await expect.poll(() => places.allTextContents()).toEqual(['United States']);
    await page.getByRole('button', { name: 'Remove the filter Rule: Front page' }).click();
    await page.getByRole('button', { name: 'Remove the filter Country: United States' }).click();
    await expect.poll(async () => (await places.allTextContents()).length).toBeGreaterThan(1);
    // The plan of this user has room for few redirects.
    await api('DELETE', `/redirects/${body.id}`);
    await close();
  });

  testChanges(() => stage);
  testLists(() => stage);

  test('is used by the keyboard alone: finder, dialogs, a redirect, its rule and its statistics', async () => {
    const { page, complaints, close } = await signInWithToken(stage);
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
    await tabTo(page, '1 visits in this period');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.chart-value', { hasText: 'People' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('loads at most 150 KiB of compressed scripts, and reloads once when files of a page are gone', async () => {
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

    // Without the server, a page that is not loaded yet says so. It opens when the server is there again.
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Import and export' }).click();
    await page.getByText('The server does not answer.').waitFor();
    expect(await page.getByRole('link', { name: 'Redirects', exact: true }).isVisible()).toBe(true);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Import and export' }).waitFor();

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
    await page.getByText('A part of the console cannot be loaded.').waitFor();
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

/** Reloads the page, and returns whether it shows an element that appears with the statistics. */
async function reloaded(page: Page, element: Locator): Promise<boolean> {
  await page.reload({ waitUntil: 'networkidle' });
  return element.isVisible();
}

async function chooseFile(page: Page, name: string, text: string): Promise<void> {
  await page
    .getByLabel('File')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
}

/** Has a file of redirects of the operator checked. Resolves to the finished import. */
async function checkFile(text: string): Promise<{ id: string; state: string }> {
  const { apiAddress, api, token } = stage.product;
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
