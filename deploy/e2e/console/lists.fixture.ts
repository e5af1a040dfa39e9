import { expect, test } from 'vitest';
import { type ConsoleStage, dialogButton, findViolations, signInWithToken } from './console.fixture.js';

const MANY = 100_000;
/** Larger pages than those of the API, for a short test. */
const LISTED_AT_ONCE = 5_000;
/** Tasks of a quiet machine take a tenth. */
const LONGEST_TASK_MS = { whileReading: 1_500, afterwards: 500 };
/** Time for several measurements. Another process may stop the browser during any one of them. */
const MEASURED = { timeout: 240_000, interval: 1_000 };
/** Longer than a message with a button is shown. */
const MESSAGE_MS = 30_000;
/** Interval in which the list is read again. */
const LIST_REFRESH_MS = 15_000;

/** Adds the tests of long lists, changes of many redirects, deleted ones, examples and webhooks. */
export function testLists(stageOf: () => ConsoleStage): void {
  test('scrolls through 100,000 redirects with few elements and no long tasks', async () => {
    const stage = stageOf();
    const { page, close } = await signInWithToken(stage);
    // The plan of this installation allows fewer redirects, so a script in the page answers the requests for the list.
    await page.addInitScript(ANSWER_LIST);
    const longestTask = async (scroll: string, last: string) => {
      await page.evaluate('window.longTasks.length = 0');
      await page.evaluate(scroll);
      await page.getByRole('link', { name: last, exact: true }).waitFor();
      return page.evaluate<number>('Math.max(0, ...window.longTasks)');
    };
    const readAll = async () => {
      await page.goto(`${stage.product.apiAddress}/console/redirects`);
      await page.getByRole('link', { name: 'd0.example', exact: true }).waitFor();
      await page.evaluate(WATCH_TASKS);
      return longestTask(SCROLL_TO_THE_END, `d${MANY - 1}.example`);
    };
    await expect.poll(readAll, MEASURED).toBeLessThan(LONGEST_TASK_MS.whileReading);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(MANY + 1));
    expect(await page.locator('.row').count()).toBeLessThan(60);
    // Scroll back to the top, when all rows are known.
    const scrollBack = async () => {
      await page.evaluate(SCROLL_TO_THE_END);
      return longestTask(SCROLL_BACK, 'd0.example');
    };
    await expect.poll(scrollBack, MEASURED).toBeLessThan(LONGEST_TASK_MS.afterwards);

    // A failed request ends a change of many redirects. The part that was done before it can be undone.
    let sent = 0;
    await page.route('**/redirects/bulk?*', (route) => {
      sent += 1;
      const { operations } = route.request().postDataJSON() as { operations: { id: string }[] };
      const results = operations.map(({ id }) => ({ id, status: 'updated' }));
      return sent === 1
        ? route.fulfill({ json: { results } })
        : route.fulfill({
            status: 400,
            json: { error: { code: 'REFUSED', message: 'The second part fails.' } },
          });
    });
    await page.getByLabel('Select all that are shown').check();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.locator('.toast-error', { hasText: 'The second part fails.' }).waitFor();
    const done = page.locator('.toast', { hasText: '200 redirects disabled.' });
    await done.getByRole('button', { name: 'Undo' }).waitFor();
    await close();
  });

  test('tags and moves many redirects, takes that back, and restores a deleted one', async () => {
    const stage = stageOf();
    const { api, visit, apiAddress } = stage.product;
    const [id] = await Promise.all(['many-a.localhost', 'many-b.localhost'].map((host) => add(stage, host)));
    const { page, complaints, close } = await signInWithToken(stage);
    await page.clock.install();
    await page.goto(`${apiAddress}/console/redirects?search=many-`);
    await page.getByLabel('Select all that are shown').check();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Tag', { exact: true }).fill('season');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add tag' }).click();
    await expect.poll(() => page.locator('.row .tag', { hasText: 'season' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByLabel('Destination').fill('https://moved.example');
    await page.getByLabel('Destination').press('Enter');
    const location = async () => (await visit('many-a.localhost', '/')).headers.location;
    const moved = page.locator('.toast', { hasText: '2 redirects moved.' });
    // A message stays while the mouse is on it.
    await moved.hover();
    await page.clock.fastForward(MESSAGE_MS);
    await expect.poll(location).toBe('https://moved.example');
    await moved.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(location).toBe('https://example.com');
    // The growth of the counters between two refreshes.
    const rate = page.locator('.row .row-rate').first();
    await expect
      .poll(async () => {
        await page.clock.fastForward(LIST_REFRESH_MS);
        return rate.textContent({ timeout: 1_000 }).catch(() => null);
      })
      .toMatch(/^[\d.,]+$/);

    await api('DELETE', `/redirects/${id}`);
    await page.getByRole('link', { name: 'Deleted' }).click();
    await page.getByRole('button', { name: 'Restore many-a.localhost' }).click();
    await page.getByText('many-a.localhost is restored.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await expect.poll(location).toBe('https://example.com');
    await removeAll(stage, 'many-');
    expect(complaints).toEqual([]);
    await close();
  });

  test('writes, runs, edits and deletes examples of a redirect', async () => {
    const stage = stageOf();
    const id = await add(stage, 'tested.localhost');
    const { page, complaints, close } = await signInWithToken(stage);
    await page.goto(`${stage.product.apiAddress}/console/redirects/${id}/examples`);
    await page.getByRole('button', { name: 'Add example' }).click();
    await page.getByLabel('Name').fill('Front page');
    await page.getByLabel('Destination').fill('https://elsewhere.example');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save example' }).click();
    await page.getByRole('button', { name: 'Run examples' }).click();
    await page.getByText('Failed', { exact: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit Front page' }).click();
    await page.getByLabel('Destination').fill('https://example.com');
    await page.getByRole('button', { name: 'Save example' }).click();
    await page.getByRole('button', { name: 'Run examples' }).click();
    await page.getByText('Passed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete Front page' }).click();
    await page.getByRole('heading', { name: 'No examples yet' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Edit Front page' }).waitFor();
    await removeAll(stage, 'tested.');
    expect(complaints).toEqual([]);
    await close();
  });

  test('changes, pauses and tests a webhook endpoint, and renews its secret', async () => {
    const stage = stageOf();
    const { page, complaints, close } = await signInWithToken(stage);
    await page.goto(`${stage.product.apiAddress}/console/account/webhooks`);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('Address').fill('https://hooks.example.org/a');
    await dialogButton(page, 'Add endpoint').click();
    const secret = await page.locator('.copy-value').textContent();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Send test' }).click();
    const sent = page.getByRole('row', { name: /webhook\.test/ });
    await sent.getByText('The name has no address').waitFor();
    await sent.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The message is being sent again.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit https://hooks.example.org/a' }).click();
    await page.getByLabel('Address').fill('https://hooks.example.org/b');
    await page.getByLabel('payment.failed').uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'https://hooks.example.org/b' }).waitFor();
    expect(await page.locator('.tag', { hasText: 'payment.failed' }).count()).toBe(0);
    await page.getByRole('button', { name: 'New secret' }).click();
    await dialogButton(page, 'New secret').click();
    await page.getByRole('heading', { name: 'Copy the secret now' }).waitFor();
    expect(await page.locator('.copy-value').textContent()).not.toBe(secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Delete https://hooks.example.org/b' }).click();
    await dialogButton(page, 'Delete').click();
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
}

const WATCH_TASKS = `window.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });`;
/** Scrolls to the end repeatedly, because the list grows while it is read. */
const SCROLL_TO_THE_END = `new Promise((done) => {
  const scroller = document.querySelector('.rows-scroll');
  const step = () => {
    scroller.scrollTop = scroller.scrollHeight;
    if (document.querySelector('.row:last-child')?.getAttribute('aria-rowindex') === '${MANY + 1}') done();
    else requestAnimationFrame(step);
  };
  step();
})`;
const SCROLL_BACK = `new Promise((done) => {
  const scroller = document.querySelector('.rows-scroll');
  const stepPx = scroller.scrollHeight / 100;
  const step = () => {
    scroller.scrollTop -= stepPx;
    if (scroller.scrollTop <= 0) done();
    else requestAnimationFrame(step);
  };
  step();
})`;

const LISTED = {
  toDomain: 'https://example.com',
  statusCode: 301,
  enabled: true,
  status: 'active',
  tags: ['many'],
  isVerified: true,
  pathForwarding: false,
  certificate: null,
  pathCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  analyticsUsage: { recordedHits: 1, estimatedTotalHits: 1, planLimit: -1 },
};
const ANSWER_LIST = `{
  const send = window.fetch;
  window.fetch = async (request, init) => {
    const url = new URL(request.url ?? request, location.href);
    if (url.pathname !== '/redirects') return send(request, init);
    const first = Number(url.searchParams.get('cursor') ?? 0);
    const limit = ${LISTED_AT_ONCE};
    const data = Array.from({ length: limit }, (_, index) => ({
      ...${JSON.stringify(LISTED)}, id: 'id' + (first + index), fromDomain: 'd' + (first + index) + '.example',
    }));
    const nextCursor = first + limit < ${MANY} ? String(first + limit) : null;
    return Response.json({ data, page: { limit, nextCursor }, total: ${MANY}, facets: { status: {}, tags: {} } });
  };
}`;

async function add({ product }: ConsoleStage, fromDomain: string): Promise<string> {
  const { body } = await product.api<{ id: string }>('POST', '/redirects', {
    fromDomain,
    toDomain: 'https://example.com',
  });
  return body.id;
}

/** The plan of the operator allows few redirects. */
async function removeAll({ product: { api } }: ConsoleStage, search: string): Promise<void> {
  const { body } = await api<{ data: { id: string }[] }>('GET', `/redirects?search=${search}`);
  for (const { id } of body.data) await api('DELETE', `/redirects/${id}`);
}
