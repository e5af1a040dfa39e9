import { expect, test } from 'vitest';
import { type ConsoleStage, chooseFile, findViolations, PERSON, signInWithToken } from './console.fixture.js';

/** Length of the longest line of a border across the map, which is 1,000 wide. */
const LONGEST_BORDER = `Math.max(...[...document.querySelectorAll('.map path')].flatMap((path) =>
  path.getAttribute('d').split('M').slice(1).flatMap((ring) => {
    const across = ring.slice(0, -1).split('L').map((point) => Number(point.split(',')[0]));
    return across.slice(1).map((x, index) => Math.abs(x - across[index]));
  }),
))`;

/** Adds the tests of paths and rules, with the visits that they decide. */
export function testVisits(stageOf: () => ConsoleStage): void {
  test('turns paths that visitors miss into entries, and changes the options of the table', async () => {
    const stage = stageOf();
    const { api, visit, apiAddress } = stage.product;
    const fromDomain = 'missed.localhost';
    const { body } = await api<{ id: string }>('POST', '/redirects', {
      fromDomain,
      toDomain: 'https://example.com',
    });
    const person = { headers: { 'user-agent': PERSON } };
    await expect.poll(async () => (await visit(fromDomain, '/lost?lang=de', person)).status).toBe(301);
    const { page, complaints, close } = await signInWithToken(stage);
    await expect.poll(() => statistic(stage, body.id, 'unmatched-paths')).toContain('/lost');
    await page.goto(`${apiAddress}/console/redirects/${body.id}/paths`);
    const add = page.getByRole('button', { name: 'Add an entry for /lost' });
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

    // An entry without a condition decides all visits of the path, so no visitor misses it.
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
    expect(complaints).toEqual([]);
    // An open page would request the deleted redirect.
    await close();
    await api('DELETE', `/redirects/${body.id}`);
  });

  test('builds rules that visitors meet, and shows their visits', async () => {
    const stage = stageOf();
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
    await expect.poll(() => page.url()).toContain('bots=true');
    await page.locator('.hits tbody tr').first().waitFor();
    await page.getByLabel('Period', { exact: true }).selectOption('7');
    await expect.poll(() => page.url()).toContain('days=7');

    // Rows of lists, and countries of the map, filter the visits.
    await visit(fromDomain, '/', { headers: { 'x-forwarded-for': '8.8.8.8', 'user-agent': PERSON } });
    await page.getByText(/^\d+ visits? in the last minute$/).waitFor();
    await page.getByLabel('Who').selectOption('');
    const rules = page.locator('.card', { has: page.getByRole('heading', { name: 'Rules', exact: true }) });
    await expect.poll(() => statistic(stage, body.id, 'geo')).toContain('US');
    await page.reload();
    await rules.getByRole('button', { name: 'Front page' }).click();
    await expect.poll(() => page.url()).toContain('ruleId=');
    const places = page.locator('.hits tbody tr td:last-child');
    await page.getByRole('button', { name: 'Remove the filter Rule: Front page' }).waitFor();
    // Russia and Fiji extend over both edges of the map. No border may cross it.
    expect(await page.evaluate(LONGEST_BORDER)).toBeLessThan(200);
    await page.locator('.map .map-4').first().click();
    await expect.poll(() => page.url()).toContain('country=US');
    await expect.poll(() => places.allTextContents()).toEqual(['United States']);
    await page.getByRole('button', { name: 'Remove the filter Rule: Front page' }).click();
    await page.getByRole('button', { name: 'Remove the filter Country: United States' }).click();
    await expect.poll(async () => (await places.allTextContents()).length).toBeGreaterThan(1);

    // A row of a campaign filters by its tags, also by those that it lacks.
    for (const query of ['utm_term=boots', 'utm_term=boots&utm_medium=email']) {
      await visit(fromDomain, `/other?${query}`, { headers: { 'user-agent': PERSON } });
    }
    await expect.poll(() => statistic(stage, body.id, 'campaigns')).toContain('email');
    await page.reload();
    const campaigns = page.locator('.card', { has: page.getByRole('heading', { name: 'Campaigns' }) });
    await campaigns.getByRole('button', { name: 'boots', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the filter Medium: none' }).waitFor();
    await expect.poll(() => places.count()).toBe(1);
    await page.getByRole('button', { name: 'Remove all' }).click();
    await expect.poll(() => places.count()).toBeGreaterThan(1);
    // The plan of this user allows few redirects.
    await api('DELETE', `/redirects/${body.id}`);
    await close();
  });
}

/** Reads a statistic of a redirect as text. Visits are counted some time after they are answered. */
async function statistic({ product }: ConsoleStage, id: string, name: string): Promise<string> {
  const { body } = await product.api('GET', `/analytics/redirect/${id}/stats/${name}`);
  return JSON.stringify(body);
}
