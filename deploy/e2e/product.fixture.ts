import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { copyEmbeddedTemplate } from '../../controlplane/storage/postgres/embedded-template.fixture.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { processState } from '../../shared/process/process-mark.js';
import { readRecords } from '../workers/worker-record.js';

const DIST = path.join(packageRoot(), 'dist');
const START_TIMEOUT_MS = 240_000;

export interface Visit {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** The whole product, running as its users run it: its own processes, real ports, a data directory. */
export interface Product {
  readonly process: ChildProcess;
  readonly apiAddress: string;
  readonly redirectAddress: string;
  /** Empty without `TLS_PORT`. */
  readonly tlsAddress: string;
  readonly adminAddress: string;
  /** Printed by the first start only. */
  readonly token: string | undefined;
  /** Returns everything that it printed. */
  output(): string;
  /** From the start to the welcome. */
  readonly startedInMs: number;
  /** One call of the API. */
  api<T>(method: string, url: string, body?: unknown): Promise<{ status: number; body: T }>;
  /** One visit of a redirected domain. */
  visit(
    host: string,
    target: string,
    options?: { method?: string; headers?: http.OutgoingHttpHeaders },
  ): Promise<Visit>;
  /** Sends a signal and resolves to the exit code (null when the signal ended it). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ProductOptions {
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Token of an earlier start in the same data directory. */
  readonly token?: string | undefined;
  /** The folder of the build. Default: this one's. */
  readonly dist?: string;
  /** Arguments of the start. */
  readonly args?: readonly string[];
}

/** Creates a data directory with an empty database. A start creates the rest in half the time of a first start. */
export async function makeDataDir(): Promise<string> {
  const dataDir = await makeEmptyDataDir();
  await copyEmbeddedTemplate(dataDir);
  return dataDir;
}

const makeEmptyDataDir = () => mkdtemp(path.join(os.tmpdir(), 'waymark-e2e-'));

/** Runs `work` with the data directory of `makeDataDir`, and removes it. */
export async function withDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  return removedAfter(await makeDataDir(), work);
}

/** Runs `work` with an empty data directory, as a first start finds it, and removes it. */
export async function withEmptyDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  return removedAfter(await makeEmptyDataDir(), work);
}

async function removedAfter<T>(dataDir: string, work: (dataDir: string) => Promise<T>): Promise<T> {
  try {
    return await work(dataDir);
  } finally {
    await killWorkers(dataDir);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts the product on free ports and waits for its welcome. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const startedAtMs = performance.now();
  const { PATH, HOME } = processEnvironment();
  const entry = path.join(options.dist ?? DIST, 'deploy', 'standalone', 'main.js');
  const child = spawn(process.execPath, [entry, ...(options.args ?? [])], {
    env: {
      PATH,
      HOME,
      DATA_DIR: options.dataDir,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      REDIRECT_HOST: '127.0.0.1',
      REDIRECT_PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_MULTIPLIER: '1000',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      const late = new Error(`the product did not start in time; it printed:\n${output}`);
      void killWorkers(options.dataDir).finally(() => reject(late));
    }, START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Stop with Ctrl-C.')) {
        clearTimeout(timer);
        resolve();
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the product ended at start with ${code}; it printed:\n${output}`));
    });
  });
  const startedInMs = performance.now() - startedAtMs;
  const printed = (label: string) => new RegExp(`^ {2}${label} +(\\S+)`, 'm').exec(output)?.[1] ?? '';
  const apiAddress = printed('API');
  const redirectAddress = printed('Redirects');
  const token = /Access token +(wm_\S+)/.exec(output)?.[1] ?? options.token;

  return {
    process: child,
    apiAddress,
    redirectAddress,
    tlsAddress: printed('HTTPS'),
    adminAddress: printed('Health, metrics'),
    token,
    startedInMs,
    output: () => output,
    async api<T>(method: string, url: string, body?: unknown) {
      const response = await fetch(apiAddress + url, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as T };
    },
    visit: (host, target, visitOptions = {}) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(redirectAddress);
        const request = http.request(
          {
            hostname,
            port,
            path: target,
            method: visitOptions.method ?? 'GET',
            headers: { host, ...visitOptions.headers },
            agent: false,
          },
          (response) => {
            let text = '';
            response.on('data', (chunk) => {
              text += chunk;
            });
            response.on('end', () => {
              resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
            });
          },
        );
        request.on('error', reject);
        request.end();
      }),
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts the product for one test. Cleans up even if the test fails. */
export async function startForTest(options: ProductOptions): Promise<Product> {
  const product = await startProduct(options);
  onTestFinished(async () => {
    product.process.kill('SIGKILL');
    await killWorkers(options.dataDir);
  });
  return product;
}

/** Kills the workers of a data directory: they outlive their supervisor. */
export async function killWorkers(dataDir: string): Promise<void> {
  for (const record of await readRecords(dataDir)) {
    if ((await processState(record)) === 'running') process.kill(record.pid, 'SIGKILL');
  }
}
