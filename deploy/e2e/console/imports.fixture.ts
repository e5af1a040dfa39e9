import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  type ConsoleStage,
  chooseFile,
  dialogButton,
  findViolations,
  logIn,
  signInWithToken,
} from './console.fixture.js';

/** Long enough to be canceled before its end. */
const LONG_IMPORT_ROWS = 60_000;

/** Adds the tests of imports and exports. */
export function testImports(stageOf: () => ConsoleStage): void {
  test('imports a file after a dry run that shows each row, and exports it', async () => {
    const stage = stageOf();
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

    // The failing rows come first, with the messages of the API.
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
    const stage = stageOf();
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

  test('compares, tests and publishes a table of paths beside the one in force, and restores it', async () => {
    const stage = stageOf();
    const { api, visit, apiAddress } = stage.product;
    const domain = 'staged.localhost';
    type Created = { id: string };
    const { body } = await api<Created>('POST', '/redirects', {
      ...{ fromDomain: domain, toDomain: 'https://example.com', pathForwarding: false },
    });
    const { id } = body;
    expect((await api('POST', '/verify-domain', { domain })).status).toBe(200);
    for (const [source, destination] of [
      ['/a', 'https://a.example'],
      ['/b', 'https://b.example'],
    ])
      expect((await api('POST', `/redirects/${id}/paths`, { source, destination })).status).toBe(201);
    const location = async (target: string) => (await visit(domain, target)).headers.location;
    await expect.poll(() => location('/b')).toBe('https://b.example');
    // Without a staged table there is a 404, which browsers log.
    const { page, close } = await signInWithToken(stage, { ignoresErrors: true });
    await page.goto(`${apiAddress}/console/redirects/${id}/paths`);
    await page.getByRole('link', { name: 'Staged table' }).click();
    await page.getByText('Prepare a whole table before visitors get it').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Upload a version' }).click();
    const stageIt = () => dialogButton(page, 'Stage').click();
    const problem = (text: RegExp) => page.locator('.field-error', { hasText: text }).waitFor();
    await stageIt();
    await problem(/Choose a file\./);
    await chooseFile(page, 'paths.csv', 'from,to\n/a,/b\n');
    await stageIt();
    await problem(/one of them must be source/);
    await chooseFile(page, 'paths.csv', 'source,destination\n/a,https://a.example\n/x,ftp://x.example\n');
    await stageIt();
    await problem(/^Entry 2: /);
    const text = 'source,destination,statusCode\n/a,https://new.example,302\n/c,"https://c.example/?a,b",\n';
    await chooseFile(page, 'paths.csv', text);
    await stageIt();
    await page.getByText('1 added, 1 changed, 1 removed, 0 unchanged.').waitFor();
    await page
      .getByRole('row', { name: 'Changed /a https://a.example 301 https://new.example 302' })
      .waitFor();
    await page.getByRole('row', { name: 'Removed /b https://b.example 301 Nothing' }).waitFor();
    await page.getByLabel('Addresses').fill('/c\n/none');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('row', { name: '/c 301 https://c.example/?a,b The path /c' }).waitFor();
    await page.getByRole('row', { name: /^\/none .*No path/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await location('/a')).toBe('https://a.example');

    // Another user adds a path in the meantime. It must not be removed before it has been shown.
    const publish = async () => {
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await dialogButton(page, 'Publish').click();
    };
    await api('POST', `/redirects/${id}/paths`, { source: '/meanwhile', destination: '/m' });
    await publish();
    await page.getByText('changed the table in force since you compared it: /meanwhile.').waitFor();
    await page.getByRole('row', { name: 'Removed /meanwhile /m 301 Nothing' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await expect.poll(() => location('/meanwhile')).toBe('https://example.com/m');
    await publish();
    await page.getByText('2 paths are in force.').waitFor();
    await page.getByRole('button', { name: 'Edit /c' }).waitFor();
    await expect.poll(() => location('/a')).toBe('https://new.example');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The previous table is in force again.').waitFor();
    await expect.poll(() => location('/a')).toBe('https://a.example');

    await api('PUT', `/redirects/${id}/paths/staged`, { entries: [{ source: '/d', destination: '/e' }] });
    await page.getByRole('link', { name: 'Staged table' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await dialogButton(page, 'Discard').click();
    await page.getByText('Prepare a whole table before visitors get it').waitFor();
    expect(await location('/b')).toBe('https://b.example');
    await api('DELETE', `/redirects/${id}`);
    await close();
  });
}
