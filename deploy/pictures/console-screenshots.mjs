// Makes pictures of the main pages of the console: `npm run console:screenshots [-- part-of-a-name …]`.
// Starts the product with demo data in a temporary folder. The pictures are in dist/console-screenshots/.
//   --readme  makes the pictures of the README instead, beside this file
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { addDemoData } from './demo-data.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PICTURES = path.join(ROOT, 'dist', 'console-screenshots');
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

const README_SIZE = { width: 1000, height: 640 };
const README = [
  { picture: 'redirects', name: 'redirects', theme: 'light' },
  { picture: 'replay', name: 'replay', theme: 'light' },
  { picture: 'experiment', name: 'results', theme: 'dark', top: '.verdict' },
];

const wanted = process.argv.slice(2);
const dataDir = mkdtempSync(path.join(tmpdir(), 'waymark-pictures-'));
const product = await startProduct();
try {
  mkdirSync(PICTURES, { recursive: true });
  const demo = await addDemoData(product);
  await takePictures(demo);
} finally {
  product.process.kill('SIGTERM');
  await product.exited;
  rmSync(dataDir, { recursive: true, force: true });
}

async function startProduct() {
  const environment = {
    DATA_DIR: dataDir,
    API_HOST: '127.0.0.1',
    REDIRECT_HOST: '127.0.0.1',
    ...{ API_PORT: '0', REDIRECT_PORT: '0', ADMIN_PORT: '0', RATE_LIMIT_MULTIPLIER: '100' },
    ...{ BOOTSTRAP_EMAIL: 'ada@example.com', TRUSTED_PROXIES: '127.0.0.1/32', LOG_LEVEL: 'error' },
  };
  const main = path.join(ROOT, 'dist', 'deploy', 'standalone', 'main.js');
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...environment } });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Stop with Ctrl-C.')) resolve();
    });
    child.stderr.on('data', (chunk) => process.stderr.write(chunk));
    child.once('exit', () => reject(new Error(`the product ended at its start:\n${output}`)));
  });
  const printed = (label) => new RegExp(`^ {2}${label} +(\\S+)`, 'm').exec(output)?.[1];
  return {
    process: child,
    exited,
    link: printed('Console'),
    api: printed('API'),
    token: printed('Access token'),
    visit: (host, target, headers) => visit(printed('Redirects'), host, target, headers),
  };
}

function visit(address, host, target, headers) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const request = http.request(
      { hostname, port, path: target, headers: { host, ...headers } },
      (response) => {
        response.resume().on('end', () => resolve(response.headers));
      },
    );
    request.on('error', reject).end();
  });
}

async function openBrowser() {
  for (const executable of BROWSERS) {
    try {
      return await chromium.launch({
        executablePath: `/usr/bin/${executable}`,
        args: ['--no-sandbox'],
      });
    } catch {}
  }
  throw new Error(`no browser was found: install one of ${BROWSERS.join(', ')}`);
}

async function takePictures({ pages }) {
  const browser = await openBrowser();
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && console.error(message.text()));
  page.on('pageerror', (error) => console.error(error));
  await page.goto(product.link);
  await page.waitForURL('**/redirects');
  for (const shot of wanted.includes('--readme') ? readmeShots(pages) : allShots(pages)) {
    await page.setViewportSize(shot.viewport);
    await page.emulateMedia({ colorScheme: shot.theme });
    await page.goto(`${product.api}/console${shot.address}`);
    await page.waitForLoadState('networkidle');
    await shot.prepare?.(page);
    if (shot.top)
      await page
        .locator(shot.top)
        .evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 24));
    await page.screenshot({ path: shot.file, fullPage: shot.isWhole === true });
    console.log(path.relative(ROOT, shot.file));
  }
  await browser.close();
}

function allShots(pages) {
  const shots = pages.flatMap((page) =>
    ['light', 'dark'].flatMap((theme) =>
      Object.entries(SIZES).map(([size, viewport]) => {
        const file = path.join(PICTURES, `${page.name}-${size}-${theme}.png`);
        return { ...page, theme, viewport, file };
      }),
    ),
  );
  return shots.filter(({ file }) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
}

function readmeShots(pages) {
  return README.map(({ picture, name, theme, top }) => ({
    ...pages.find((page) => page.name === name),
    theme,
    top,
    viewport: README_SIZE,
    isWhole: false,
    file: path.join(import.meta.dirname, `${picture}.png`),
  }));
}
