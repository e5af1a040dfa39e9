import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '../../faults/servers/free-ports.js';
import { type ConsoleStage, findViolations, logIn, openStage, PASSWORD } from './console.fixture.js';

const NEW_PASSWORD = 'staple of my own';

/** Adds the tests of passwords, of the order of rules by mouse, and of the console behind a base path. */
export function testAccounts(stageOf: () => ConsoleStage, executablePath: string): void {
  test('replaces a forgotten password by the link of a mail, which works once and ends all sessions', async () => {
    const stage = stageOf();
    await stage.signUp('forgetful@example.com');
    const old = await stage.newPage({ ignoresErrors: true });
    await old.page.goto(`${stage.product.apiAddress}/console/account/security`);
    await logIn(old.page, 'forgetful@example.com');
    await old.page.getByRole('heading', { name: 'Sessions' }).waitFor();

    const { page, close } = await stage.newPage({ ignoresErrors: true });
    const link = await requestReset(stage, page, 'forgetful@example.com');
    await page.goto(link);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();

    await old.page.reload();
    await old.page.getByLabel('E-mail address').waitFor();
    await page.goto(link);
    await page.getByLabel('New password').fill('another password');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This link was used already or has expired. Ask for a new mail.').waitFor();

    await page.goto(`${stage.product.apiAddress}/console/log-in`);
    await logIn(page, 'forgetful@example.com');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { name: 'Redirects', exact: true }).waitFor();
    await Promise.all([close(), old.close()]);
  });

  test('puts rules in order by dragging them with the mouse', async () => {
    const stage = stageOf();
    await stage.signUp('mover@example.com');
    const { page, complaints, close } = await stage.newPage();
    await page.goto(`${stage.product.apiAddress}/console/redirects`);
    await logIn(page, 'mover@example.com');
    await page.getByRole('button', { name: 'New redirect' }).first().waitFor();
    const post = async (path: string, data: object) => {
      const headers = { 'X-Requested-With': 'waymark' };
      const answer = await page.request.post(`${stage.product.apiAddress}${path}`, { data, headers });
      expect(answer.status()).toBe(201);
      return answer.json();
    };
    const { id } = await post('/redirects', {
      fromDomain: 'moved.localhost',
      toDomain: 'https://example.com',
    });
    for (const name of ['first', 'second', 'third']) {
      const action = { type: 'redirect', url: `https://${name}.example` };
      await post(`/redirects/${id}/rules`, { name, type: 'force', action });
    }
    await page.goto(`${stage.product.apiAddress}/console/redirects/${id}/rules`);
    const rules = page.locator('.rule');
    await expect.poll(() => rules.count()).toBe(3);
    await dragBy(page, '.rule >> nth=0', '.rule >> nth=2');
    const order = async () => {
      const answer = await page.request.get(`${stage.product.apiAddress}/rules/redirect/${id}`);
      return (await answer.json()).rules.map(({ name }: { name: string }) => name);
    };
    await expect.poll(order).toEqual(['second', 'third', 'first']);
    await dragBy(page, '.rule >> nth=2', '.rule >> nth=1');
    await expect.poll(order).toEqual(['second', 'first', 'third']);
    await expect
      .poll(async () => (await rules.allTextContents()).map((text) => /first|second|third/.exec(text)?.[0]))
      .toEqual(['second', 'first', 'third']);
    expect(complaints).toEqual([]);
    await close();
  });

  test('works behind a reverse proxy with a base path, where the first user sets a password', async () => {
    const apiPort = await freePort();
    const proxy = await startPrefixProxy('/waymark', `http://127.0.0.1:${apiPort}`);
    const stage = await openStage(executablePath, {
      API_PORT: String(apiPort),
      PUBLIC_API_URL: `${proxy.address}/waymark`,
    });
    try {
      const { page, complaints, close } = await stage.newPage({ origin: proxy.address });
      expect(stage.link).toContain(`${proxy.address}/waymark/`);
      await page.goto(stage.link);
      await page.getByRole('heading', { name: 'Send your first visitor on' }).waitFor();
      expect(page.url()).toBe(`${proxy.address}/waymark/console/redirects`);
      await page.goto(`${proxy.address}/waymark/console/account/security`);
      await page.getByText('This account has no password yet.').waitFor();
      await page.getByLabel('New password').fill('short');
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.locator('.field-error').waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.getByLabel('New password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByText('Your password is set. All other sessions are ended.').waitFor();
      await page.getByLabel('Current password').waitFor();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByLabel('E-mail address').waitFor();
      await logIn(page, 'admin@waymark.localhost');
      await page.getByRole('button', { name: 'New redirect' }).first().waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'New redirect' }).first().waitFor();
      expect(page.url()).toMatch(new RegExp(`^${proxy.address}/waymark/console`));
      // The password that was too short.
      expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);

      const link = await requestReset(stage, page, 'admin@waymark.localhost');
      expect(link).toContain(`${proxy.address}/waymark/auth/`);
      await page.goto(link);
      await page.getByLabel('New password').fill(NEW_PASSWORD);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
      await page.getByRole('link', { name: 'Log in' }).click();
      await logIn(page, 'admin@waymark.localhost', NEW_PASSWORD);
      await page.getByRole('button', { name: 'New redirect' }).first().waitFor();
      expect(page.url()).toMatch(new RegExp(`^${proxy.address}/waymark/console`));
      await close();
    } finally {
      await stage.stop();
      await proxy.close();
    }
  });
}

/**
 * Requests a new password in the console. Resolves to the link of the mail, which is in the log without an SMTP server.
 */
async function requestReset(stage: ConsoleStage, page: Page, email: string): Promise<string> {
  await page.context().clearCookies();
  await page.goto(`${stage.product.apiAddress}/console/log-in`);
  await page.getByRole('link', { name: 'Forgot the password?' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  const find = () => /https?:\/\/\S+?\/auth\/password\/reset\?token=[\w-]+/.exec(stage.product.output())?.[0];
  await expect.poll(find).toBeDefined();
  return find() ?? '';
}

/** Drags one element to another with the buttons of the mouse. */
async function dragBy(page: Page, from: string, to: string): Promise<void> {
  const middle = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    if (box === null) throw new Error(`${selector} is not shown`);
    return [box.x + box.width / 2, box.y + box.height / 2] as const;
  };
  const [start, end] = [await middle(from), await middle(to)];
  await page.mouse.move(...start);
  await page.mouse.down();
  await page.mouse.move(...end, { steps: 10 });
  await page.mouse.up();
}

/** Starts a reverse proxy on loopback that serves a server below a path, and cuts the path off. */
async function startPrefixProxy(prefix: string, target: string) {
  const server = http.createServer((request, response) => {
    const { method, headers, url = '/' } = request;
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end('not below the base path');
      return;
    }
    const asked = http.request(new URL(url.slice(prefix.length), target), { method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(response);
    });
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
