import { expect, test } from 'vitest';
import {
  type ConsoleStage,
  dialogButton,
  findViolations,
  logIn,
  PASSWORD,
  signInWithToken,
} from './console.fixture.js';

/** Interval in which a page asks again whether its domain is verified. */
const DNS_CHECK_MS = 10_000;

/** Adds the tests of a new user: the first redirect, its settings, forms and sessions. */
export function testUsers(stageOf: () => ConsoleStage): void {
  test('leads from the printed link to a live redirect in at most 6 clicks', async () => {
    const stage = stageOf();
    const { page, complaints, close } = await stage.newPage();
    let clicks = 1;
    await page.goto(stage.link);
    await page.getByRole('heading', { name: 'Send your first visitor on' }).waitFor();
    await expect.poll(() => page.url()).toBe(`${stage.product.apiAddress}/console/redirects`);

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
    const stage = stageOf();
    const { page, context, complaints, close } = await stage.newPage();
    await page.clock.install();
    await page.goto(`${stage.product.apiAddress}/`);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill('walker@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'New redirect' }).first().click();
    await page.getByLabel('Domain').fill('shop.example.org');
    await page.getByLabel('Destination').fill('https://example.com');
    await page.getByRole('button', { name: 'Create redirect' }).click();

    // DNS: the page explains the problem in words, and notices the correct record without a reload.
    await page.getByText('Name does not exist in DNS').waitFor();
    const name = await page.locator('.copy-value').nth(1).textContent();
    const value = await page.locator('.copy-value').nth(2).textContent();
    expect(name).toBe('_waymark.shop.example.org');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy: Value' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(value);
    stage.dns.setTxt(name ?? '', [value ?? '']);
    await page.clock.fastForward(DNS_CHECK_MS);
    await page.getByText('Active', { exact: true }).waitFor();

    // Paths, with an undone deletion, and the destination of a visitor.
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

    // Several redirects in one step: disabling them, and a deletion that is undone.
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
    const stage = stageOf();
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
    // A reload also keeps the draft, and says so.
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

  test('lets the operator release a domain, and shows that in the log', async () => {
    const stage = stageOf();
    const domain = 'released.localhost';
    await stage.product.api('POST', '/redirects', { fromDomain: domain, toDomain: 'https://example.com' });
    expect((await stage.product.api('POST', '/verify-domain', { domain })).status).toBe(200);
    // The first domain has no owner. The API answers 404, which browsers log.
    const { page, close } = await signInWithToken(stage, { ignoresErrors: true });
    await page.goto(`${stage.product.apiAddress}/console/operator/takedowns`);
    await page.getByRole('button', { name: 'Release a domain' }).click();
    await page.getByLabel('Domain', { exact: true }).fill('nobody.example.org');
    await dialogButton(page, 'Release').click();
    await page.getByRole('dialog').getByRole('alert').or(page.locator('.field-error')).waitFor();
    await page.getByLabel('Domain', { exact: true }).fill(domain);
    await dialogButton(page, 'Release').click();
    await page.getByText(`${domain} is released.`).waitFor();
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    const entry = page.getByRole('row', { name: new RegExp(`Domain released .*${domain}`) });
    await entry.waitFor();
    await page.getByLabel('Action').selectOption('User suspended');
    await page.getByText('Nothing to show').waitFor();
    expect(new URL(page.url()).search).toBe('?action=user.suspend');
    await page.getByLabel('Action').selectOption('All actions');
    await entry.waitFor();
    await page.getByRole('link', { name: 'Broken destinations' }).click();
    await page.getByText('No destination is broken').waitFor();
    await close();
  });

  test('refuses what other pages could send with the session cookie, which no script can read', async () => {
    const stage = stageOf();
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
}
