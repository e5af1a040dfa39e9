import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, type Browser as Chromium, chromium, type Page } from 'playwright-core';
import { startDnsServer } from '../../../controlplane/areas/domains/dns-server.fixture.js';
import { killWorkers, makeDataDir, type Product, startProduct } from '../product.fixture.js';

/** Limit of one wait in the browser, like that of `expect.poll` in all tests. */
const WAIT_MS = 60_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Reads no style sheets again: only a rule about locked orientations needs that, and no style sheet here locks one. */
const RUN_AXE = 'axe.run(document, { resultTypes: ["violations"], preload: false })';

export const PASSWORD = 'correct horse battery';
/** User agent of a visitor that does not count as a bot. */
export const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

/** A page of the console, with the problems that the browser reported. */
export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the browser's console, errors of scripts, and requests to other hosts. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export interface ConsoleStage {
  readonly product: Product;
  readonly dns: Awaited<ReturnType<typeof startDnsServer>>;
  /** A folder for files of tests. It is removed after them. */
  readonly folder: string;
  /** Link of the start message. It works once. */
  readonly link: string;
  /**
   * Opens a page in a new browser context without cookies. `origin` is the address of the product. Default: its own
   * address.
   */
  newPage(options?: { readonly ignoresErrors?: boolean; readonly origin?: string }): Promise<ConsolePage>;
  /** A user of the API with a password. */
  signUp(email: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the product and a browser, for all tests of a file. */
export async function openStage(
  executablePath: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ConsoleStage> {
  const dataDir = await makeDataDir();
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-console-'));
  const dns = await startDnsServer();
  const product = await startProduct({
    dataDir,
    environment: { DNS_SERVERS: dns.address, TRUSTED_PROXIES: '127.0.0.1/32', ...environment },
  });
  const browser = await chromium.launch({
    executablePath,
    // Chromium's sandbox needs rights that containers lack. All pages are from this project.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking'],
  });
  const link = /Console +(\S+)/.exec(product.output())?.[1] ?? '';

  return {
    product,
    dns,
    folder,
    link,
    newPage: ({ ignoresErrors = false, origin = product.apiAddress } = {}) =>
      openPage(browser, origin, ignoresErrors),
    async signUp(email) {
      const { status } = await product.api('POST', '/auth/signup', { email, password: PASSWORD });
      if (status !== 201) throw new Error(`the sign-up was answered with ${status}`);
    },
    async stop() {
      await browser.close();
      await product.end('SIGTERM');
      await killWorkers(dataDir);
      await dns.close();
      for (const used of [dataDir, folder]) await rm(used, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openPage(browser: Chromium, apiAddress: string, ignoresErrors: boolean): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  if (!ignoresErrors) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
  }
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(apiAddress)) {
      complaints.push(`a request to ${request.url()}`);
    }
  });
  return { page, context, complaints, close: () => context.close() };
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Checks the page by axe, with all rules of WCAG 2.2 AA and its best practices. */
export async function findViolations(page: Page): Promise<string[]> {
  // Not by a script element: the policy of the page refuses that.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>(RUN_AXE);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Presses Tab until an element whose name begins with `name` or matches it has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(FOCUSED_NAME);
    if (typeof name === 'string' ? focused.startsWith(name) : name.test(focused)) return;
    passed.push(focused);
  }
  throw new Error(`Tab does not lead to ${name}, but to: ${passed.join(', ')}`);
}

const MAX_TABS = 60;
/** Label, attribute or text of the element that has the focus. */
const FOCUSED_NAME = `(() => {
  const element = document.activeElement;
  const label = element.labels?.[0]?.textContent;
  return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').trim();
})()`;

export const logIn = async (page: Page, email: string, password = PASSWORD): Promise<void> => {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
};

/** Opens a page of the operator. */
export async function signInWithToken(
  stage: ConsoleStage,
  options?: { readonly ignoresErrors?: boolean },
): Promise<ConsolePage> {
  const opened = await stage.newPage(options);
  await opened.page.goto(`${stage.product.apiAddress}/console/log-in`);
  await signInByToken(stage, opened.page);
  return opened;
}

/** Logs the operator in on the page for it. */
export async function signInByToken(stage: ConsoleStage, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in with an access token' }).click();
  await page.getByLabel('Access token').fill(stage.product.token ?? '');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { name: 'Redirects', exact: true }).waitFor();
}

/** Chooses a file in the form of an import. */
export async function chooseFile(page: Page, name: string, text: string): Promise<void> {
  await page
    .getByLabel('File')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
}

/** Returns a button of the dialog that is open. Buttons of the page may have the same name. */
export const dialogButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });
