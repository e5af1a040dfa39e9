import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsoleStage, chooseFile, signInWithToken } from './console.fixture.js';

/** Time for a click on a form that a dialog may cover. */
const CLICK_MS = 2_000;

/** A form with the text typed into it. */
interface TypedForm {
  readonly name: string;
  readonly address: string;
  /** Button that opens the form. */
  readonly opens?: string;
  /** Text by label. */
  readonly typed: Readonly<Record<string, string>>;
  readonly submit: string;
}

/** Adds the test that no form loses typed text. */
export function testForms(stageOf: () => ConsoleStage): void {
  test('keeps what is typed in every form while the server is away, and when the session ends', async () => {
    const stage = stageOf();
    const { api, apiAddress, token } = stage.product;
    await stage.signUp('suspect@example.com');
    const { body } = await api<{ id: string }>('POST', '/redirects', {
      ...{ fromDomain: 'typed-in.localhost', toDomain: 'https://example.com' },
    });
    await api('PUT', `/redirects/${body.id}/paths/staged`, {
      entries: [{ source: '/a', destination: '/b' }],
    });
    const { page, context, close } = await signInWithToken(stage, { ignoresErrors: true });
    for (const form of formsOf(`/redirects/${body.id}`)) {
      await page.goto(`${apiAddress}/console${form.address}`);
      if (form.opens !== undefined) await page.getByRole('button', { name: form.opens }).first().click();
      for (const [label, text] of Object.entries(form.typed)) {
        await page.getByLabel(label, { exact: true }).last().fill(text);
      }
      const submit = page.getByRole('button', { name: form.submit, exact: true }).last();
      await context.setOffline(true);
      await submit.click();
      await page.getByText('The server does not answer.').first().waitFor();
      await expectTyped(page, form);
      await context.setOffline(false);
      await context.clearCookies();
      // The page may have noticed the end of the session without the click.
      await submit.click({ timeout: CLICK_MS }).catch(() => undefined);
      const title = page.getByRole('heading', { name: 'Your session has ended' });
      await title.waitFor();
      const dialog = page.getByRole('dialog').filter({ has: title });
      await dialog.getByRole('button', { name: 'Log in with an access token' }).click();
      await dialog.getByLabel('Access token').fill(token ?? '');
      await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
      await title.waitFor({ state: 'detached' });
      await expectTyped(page, form);
    }

    // A chosen file stays chosen.
    await page.goto(`${apiAddress}/console/imports`);
    await page.getByRole('button', { name: 'Import file' }).click();
    await chooseFile(page, 'redirects.csv', 'fromDomain,toDomain\nfile.localhost,https://example.com\n');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('The server does not answer.').first().waitFor();
    await context.setOffline(false);
    expect(
      await page.getByLabel('File').evaluate((input: { files?: { length: number } }) => input.files?.length),
    ).toBe(1);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
    await api('DELETE', `/redirects/${body.id}`);
    await close();
  });
}

async function expectTyped(page: Page, { name, typed }: TypedForm): Promise<void> {
  for (const [label, text] of Object.entries(typed)) {
    expect(await page.getByLabel(label, { exact: true }).last().inputValue(), `${name}: ${label}`).toBe(text);
  }
}

/** @param redirect address of a redirect */
function formsOf(redirect: string): readonly TypedForm[] {
  const rule = { typed: { Name: 'A name', Destination: 'https://typed.example' }, submit: 'Save rule' };
  return [
    {
      ...{ name: 'redirect', address: '/redirects?new=1', submit: 'Create redirect' },
      typed: { Domain: 'typed.localhost', Destination: 'https://typed.example' },
    },
    {
      ...{ name: 'settings', address: `${redirect}/settings`, submit: 'Save changes' },
      typed: { Tags: 'typed', Note: 'Typed' },
    },
    {
      ...{ name: 'settings of the draft', address: `${redirect}/draft/settings`, submit: 'Save changes' },
      typed: { Note: 'Typed' },
    },
    { name: 'rule', address: `${redirect}/rules/new`, ...rule },
    { name: 'rule of the draft', address: `${redirect}/draft/rules/new`, ...rule },
    {
      ...{ name: 'path', address: `${redirect}/paths`, opens: 'Add path', submit: 'Save path' },
      typed: { Path: '/typed', Destination: '/x' },
    },
    {
      ...{ name: 'example', address: `${redirect}/examples`, opens: 'Add example', submit: 'Save example' },
      typed: { Name: 'Typed' },
    },
    {
      name: 'test of a visit',
      address: redirect,
      typed: { Address: '/typed', Country: 'FR' },
      submit: 'Test',
    },
    {
      ...{ name: 'test of paths', address: `${redirect}/paths/staged`, submit: 'Test' },
      typed: { Addresses: '/typed' },
    },
    {
      ...{ name: 'token', address: '/account/tokens', opens: 'Create token', submit: 'Create token' },
      typed: { Name: 'Typed' },
    },
    {
      ...{ name: 'endpoint', address: '/account/webhooks', opens: 'Add endpoint', submit: 'Add endpoint' },
      typed: { Address: 'https://typed.example/hook' },
    },
    {
      ...{
        name: 'suspension',
        address: '/operator/users?search=suspect',
        opens: 'Suspend',
        submit: 'Suspend',
      },
      typed: { Reason: 'Typed' },
    },
    {
      ...{ name: 'take-down', address: '/operator/takedowns', opens: 'Take down', submit: 'Take down' },
      typed: { Host: 'typed.example', Reason: 'Typed' },
    },
    {
      ...{ name: 'release', address: '/operator/takedowns', opens: 'Release a domain', submit: 'Release' },
      typed: { Domain: 'typed.localhost' },
    },
  ];
}
