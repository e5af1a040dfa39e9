import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  type ConsoleStage,
  dialogButton,
  findViolations,
  PERSON,
  signInWithToken,
} from './console.fixture.js';

/** Adds the tests of versions, drafts, replays, examples and experiments to those of the console. */
export function testChanges(stageOf: () => ConsoleStage): void {
  test('compares versions, goes back to one, and shows who changed what', async () => {
    const stage = stageOf();
    const { api, visit, apiAddress } = stage.product;
    const id = await addRedirect(stage, 'versions.localhost');
    await api('PATCH', `/redirects/${id}`, { toDomain: 'https://second.example' });
    const location = async () => (await visit('versions.localhost', '/')).headers.location;
    await expect.poll(location).toBe('https://second.example');

    const { page, complaints, close } = await signInWithToken(stage);
    await page.goto(`${apiAddress}/console/redirects/${id}/history`);
    const destination = page.getByRole('row', { name: 'Settings · toDomain' });
    await destination.getByText('https://second.example').waitFor();
    await page.getByLabel('Compare with').selectOption('0');
    await page.getByText('versions.localhost').nth(1).waitFor();
    await expect.poll(() => page.url()).toContain('against=0');
    await page.getByRole('button', { name: 'Show what version 1 changed' }).click();
    await page.getByRole('button', { name: 'Roll back to this version' }).click();
    await dialogButton(page, 'Roll back to this version').click();
    const undo = page.getByRole('button', { name: 'Undo' });
    // A message stays while the mouse is on it.
    await undo.hover();
    await expect.poll(location).toBe('https://example.com');
    await undo.click();
    await expect.poll(location).toBe('https://second.example');

    await page.goto(`${apiAddress}/console/account/audit?resource=${id}`);
    await page.getByText('redirect.rolled_back').first().waitFor();
    await page.getByLabel('Action').selectOption('updated');
    await page.getByText('redirect.rolled_back').first().waitFor({ state: 'detached' });
    const file = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    expect(file).toBe(`/exports/audit?resource=${id}&action=updated&format=csv`);
    const text = await page.evaluate<string>(
      `fetch(${JSON.stringify(file)}).then((answer) => answer.text())`,
    );
    expect(text.trim().split('\n')).toHaveLength(2);
    await api('DELETE', `/redirects/${id}`);
    expect(complaints).toEqual([]);
    await close();
  });

  test('loses nothing that others write in a draft while one of its rules is edited', async () => {
    const stage = stageOf();
    const { api, apiAddress } = stage.product;
    const id = await addRedirect(stage, 'shared-draft.localhost');
    const rule = (members: object) => ({
      ...{ type: 'force', conditions: [], status: 'active' },
      ...{ name: 'First', action: { type: 'redirect', url: 'https://first.example/' } },
      ...members,
    });
    const second = rule({ name: 'Second' });
    const write = (...rules: readonly object[]) => api('PUT', `/redirects/${id}/draft`, { rules });
    type Drafted = { rules: { name: string; action: { url: string } }[] };
    const drafted = async () => {
      const { body } = await api<Drafted>('GET', `/redirects/${id}/draft`);
      return body.rules.map(({ name, action }) => `${name} ${action.url}`);
    };
    expect((await write(rule({}), second)).status).toBe(200);
    const { page, close } = await signInWithToken(stage, { ignoresErrors: true });
    const edit = async (name: string) => {
      await page.goto(`${apiAddress}/console/redirects/${id}/draft/rules/0`);
      await page.getByLabel('Name').fill(name);
    };
    const save = () => page.getByRole('button', { name: 'Save rule' }).click();

    // Changes of other members and other rules stay.
    await edit('Mine');
    const url = 'https://theirs.example/';
    await write(rule({ action: { type: 'redirect', url } }), second, rule({ name: 'Third' }));
    await save();
    await page
      .getByRole('link', { name: 'Edit Mine' })
      .or(page.getByText('Mine', { exact: true }))
      .first()
      .waitFor();
    expect(await drafted()).toEqual([
      `Mine ${url}`,
      'Second https://first.example/',
      'Third https://first.example/',
    ]);

    // The same member is written only after its user has seen the other change.
    await edit('Mine again');
    await write(rule({ name: 'Theirs' }), second);
    await save();
    const title = 'Somebody else has changed this meanwhile';
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByRole('row', { name: /Theirs/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await page.getByLabel('Name').inputValue()).toBe('Mine again');
    expect((await drafted())[0]).toBe('Theirs https://first.example/');
    await page.getByRole('button', { name: 'I have seen this: keep my changes' }).click();
    await save();
    await expect.poll(async () => (await drafted())[0]).toBe('Mine again https://first.example/');
    await api('DELETE', `/redirects/${id}`);
    await close();
  });

  test('collects changes in a draft, replays visits against it, and publishes it', async () => {
    const stage = stageOf();
    const { api, visit, apiAddress } = stage.product;
    const id = await addRedirect(stage, 'drafted.localhost');
    const person = { headers: { 'user-agent': PERSON } };
    await expect.poll(async () => (await visit('drafted.localhost', '/a', person)).status).toBe(301);
    // A draft that is not there yet is a 404, which browsers log.
    const { page, close } = await signInWithToken(stage, { ignoresErrors: true });
    // A draft without a table shows no table to edit, because its entries would replace all paths.
    await page.goto(`${apiAddress}/console/redirects/${id}/draft/paths`);
    await page.getByText('The draft leaves the paths as they are.').waitFor();
    expect(await page.getByRole('button', { name: 'Add path' }).count()).toBe(0);
    await page.locator('.back', { hasText: 'Draft' }).click();
    await page.getByRole('link', { name: 'Change settings' }).click();
    await page.getByLabel('Destination').fill('nowhere');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('.field-error').waitFor();
    await page.getByLabel('Destination').fill('https://drafted.example');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('row', { name: 'Settings · toDomain' }).waitFor();
    await page.getByRole('button', { name: 'Change rules' }).click();
    await page.getByRole('link', { name: 'New rule' }).click();
    await page.getByLabel('Name').fill('Only /b');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Attribute').selectOption('url_path');
    await page.getByLabel('Value').fill('/b');
    await page.getByLabel('Destination').fill('https://b.example');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('New', { exact: true }).waitFor();
    // A removed rule can be restored, even if the next change is made before the answer to the former one.
    await page.getByRole('button', { name: 'Remove Only /b from the draft' }).click();
    await page.getByText('The draft has no rules').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('New', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change paths' }).click();
    await page.getByRole('link', { name: 'Edit paths of the draft' }).click();
    await page.getByRole('button', { name: 'Add path' }).click();
    await page.getByLabel('Path', { exact: true }).fill('/c');
    await page.getByLabel('Destination').fill('/see');
    await page.getByRole('button', { name: 'Save path' }).click();
    await page.getByRole('button', { name: 'Edit /c' }).waitFor();
    await page.getByRole('link', { name: 'Draft' }).first().click();
    await page.getByText('1 path in the draft').waitFor();
    expect(await findViolations(page)).toEqual([]);
    const location = async (target: string) => (await visit('drafted.localhost', target)).headers.location;
    expect(await location('/b')).toBe('https://example.com');

    // A visit of the draft, then all recorded ones.
    await page.getByLabel('Address').fill('/b');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.locator('.test-url', { hasText: 'https://b.example' }).waitFor();
    await page.getByRole('link', { name: 'Replay visits' }).click();
    await expect.poll(() => page.getByLabel('Judge visits by').inputValue()).toBe('draft');
    await page.getByRole('button', { name: 'Start the replay' }).click();
    await page.getByText('Finished').waitFor();
    await expect.poll(() => page.url()).toMatch(/\/replay\/rp_[\w-]+$/);
    const change = page.getByRole('row', { name: /https:\/\/drafted\.example/ });
    await change.getByText('/a', { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /Only \/b/ })
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Visits by version' }).getByRole('row', { name: /^1 / }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    // The replay stays in the list.
    await page.getByRole('link', { name: 'New replay' }).click();
    const former = page.getByRole('row', { name: /the draft on version 1 .*Finished/ });
    await former.getByRole('link').click();
    await change.getByText('/a', { exact: true }).waitFor();

    // Another user changes the redirect in the meantime.
    await api('PATCH', `/redirects/${id}`, { note: 'Changed meanwhile' });
    await page.getByRole('link', { name: 'Draft' }).click();
    await publish(page);
    await page.getByText('The redirect has changed since the draft was begun').waitFor();
    await page.getByText('Changed meanwhile').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have seen this: keep my draft' }).click();
    await page.getByText('The draft now builds on the current version.').waitFor();
    await publish(page);
    await page.getByRole('heading', { name: 'Versions' }).waitFor();
    await expect.poll(() => location('/b')).toBe('https://b.example');
    expect(await location('/c')).toBe('https://drafted.example/see');
    await api('DELETE', `/redirects/${id}`);
    await close();
  });

  test('shows how sure the results of an experiment are', async () => {
    const stage = stageOf();
    const { api, visit, apiAddress } = stage.product;
    const id = await addRedirect(stage, 'experiment.localhost');
    const { body } = await api<{ rule: { id: number } }>('POST', `/redirects/${id}/rules`, {
      name: 'Two pages',
      type: 'ab_experiment',
      status: 'active',
      action: {
        type: 'ab_test',
        variants: ['A', 'B'].map((name) => ({ name, percentage: 50, url: `https://${name}.example` })),
      },
    });
    for (let number = 0; number < 40; number += 1) {
      const headers = { 'user-agent': PERSON, 'x-forwarded-for': `12.0.${number}.1` };
      await visit('experiment.localhost', '/', { headers });
    }
    const { page, complaints, close } = await signInWithToken(stage);
    await page.goto(`${apiAddress}/console/redirects/${id}/rules`);
    await page.getByRole('link', { name: 'Results of Two pages' }).click();
    await page.getByRole('heading', { name: 'Not enough data yet' }).waitFor();
    await page.getByText(`POST /experiments/${body.rule.id}/conversions`).waitFor();
    const rates = page.getByRole('list', { name: 'Conversion rate' });
    await expect.poll(() => rates.locator('.interval-bar').count()).toBe(2);
    expect(await rates.getByText(/^A: 0 %, between 0 % and \d/).count()).toBe(1);
    await page.getByLabel('Goal').selectOption('visit:');
    await page.getByLabel('Host and path of the goal').fill('elsewhere.example/thanks');
    await page.getByLabel('Host and path of the goal').press('Enter');
    await expect.poll(() => page.url()).toContain('goal=visit%3Aelsewhere.example%2Fthanks');
    await page.getByRole('alert').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await api('DELETE', `/redirects/${id}`);
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    await close();
  });

  test('asks before a change that breaks an example', async () => {
    const stage = stageOf();
    const { api, visit, apiAddress } = stage.product;
    const id = await addRedirect(stage, 'kept.localhost');
    await api('PUT', `/redirects/${id}/examples`, {
      examples: [
        {
          name: 'The front page',
          request: { url: 'http://kept.localhost/' },
          expect: { location: 'https://example.com' },
        },
      ],
    });
    const { page, close } = await signInWithToken(stage, { ignoresErrors: true });
    await page.goto(`${apiAddress}/console/redirects/${id}/settings`);
    await page.getByLabel('Destination').fill('https://other.example');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'This change breaks 1 example' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Do not change' }).click();
    await page.locator('.note-error').waitFor();
    const location = async () => (await visit('kept.localhost', '/')).headers.location;
    expect(await location()).toBe('https://example.com');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Change nevertheless' }).click();
    await page.getByText('Saved.').waitFor();
    await expect.poll(location).toBe('https://other.example');

    // Two changes at the same time ask one after the other.
    for (const name of ['First', 'Second']) {
      const action = { type: 'redirect', url: `https://${name}.example` };
      await api('POST', `/redirects/${id}/rules`, { name, type: 'force', status: 'inactive', action });
    }
    await api('PATCH', `/redirects/${id}`, { toDomain: 'https://example.com' });
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByLabel('Activate Second').waitFor();
    await page.evaluate("document.querySelectorAll('.rule-actions input').forEach((box) => box.click())");
    const dialog = page.getByRole('dialog');
    const isFirst = /first\.example/i.test((await dialog.textContent()) ?? '');
    await dialogButton(page, 'Do not change').click();
    await dialog.filter({ hasText: isFirst ? /second\.example/i : /first\.example/i }).waitFor();
    await dialogButton(page, 'Do not change').click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.rule-actions input:checked').count()).toBe(0);
    await api('DELETE', `/redirects/${id}`);
    await close();
  });
}

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
}

/** The plan of the operator allows few redirects, so each test deletes its own. */
async function addRedirect({ product }: ConsoleStage, fromDomain: string): Promise<string> {
  const { body } = await product.api<{ id: string }>('POST', '/redirects', {
    fromDomain,
    toDomain: 'https://example.com',
  });
  return body.id;
}
