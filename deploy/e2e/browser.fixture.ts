import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { speakDevtools } from './devtools.fixture.js';

/** Possible names of the Chromium program. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The installed name of Chromium; `undefined` if it is not installed. */
export const chromium = NAMES.find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0,
);

/** One page of a browser without a screen. */
export interface Browser {
  open(url: string): Promise<void>;
  /** Clicks the element of a CSS selector, and waits for the page that then loads. */
  press(selector: string): Promise<void>;
  /** Returns the value of an expression on the page. */
  read<T>(expression: string): Promise<T>;
  /** Sets the width of the view. */
  resize(width: number): Promise<void>;
  /** A picture of the view, as PNG. */
  picture(): Promise<Buffer>;
  /** Problems that the browser reported: policy violations, script errors, failed loads. */
  complaints(): unknown[];
}

/** Starts Chromium for one test. Cleans up even if the test fails. */
export async function openBrowser(): Promise<Browser> {
  const profileDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-browser-'));
  const { PATH, HOME } = processEnvironment();
  const child = spawn(
    chromium ?? 'chromium',
    // Chromium's sandbox needs rights that containers lack. All pages are from this project.
    ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run']
      .concat('--disable-background-networking', '--remote-debugging-pipe')
      .concat(`--user-data-dir=${profileDir}`),
    { env: { PATH, HOME }, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
  });
  const devtools = speakDevtools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const { targetId } = await devtools.call<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
  });
  const { sessionId } = await devtools.call<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  const call = <T>(method: string, params?: object) => devtools.call<T>(method, params, sessionId);
  for (const area of ['Page', 'Runtime', 'Log']) await call(`${area}.enable`);

  async function read<T>(expression: string): Promise<T> {
    const { result } = await call<{ result: { value: T } }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
    });
    return result.value;
  }

  return {
    async open(url) {
      const loaded = devtools.next('Page.loadEventFired');
      await call('Page.navigate', { url });
      await loaded;
    },
    async press(selector) {
      const loaded = devtools.next('Page.loadEventFired');
      await read(`document.querySelector(${JSON.stringify(selector)}).click()`);
      await loaded;
    },
    read,
    resize: (width) =>
      call('Emulation.setDeviceMetricsOverride', { width, height: 640, deviceScaleFactor: 1, mobile: false }),
    async picture() {
      const { data } = await call<{ data: string }>('Page.captureScreenshot');
      return Buffer.from(data, 'base64');
    },
    complaints: () =>
      devtools.events
        .filter(({ method }) => method === 'Log.entryAdded' || method === 'Runtime.exceptionThrown')
        .map(({ params }) => params),
  };
}
