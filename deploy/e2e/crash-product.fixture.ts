import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { copyEmbeddedTemplate } from '../../controlplane/storage/postgres/embedded-template.fixture.js';
import { readSnapshotSize } from '../../dataplane/sync/disk-snapshot.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { copyFolder, sharedFolder } from '../../shared/process/shared-folder.fixture.js';
import { freePorts } from '../faults/servers/free-ports.js';
import { childrenOf, groupMembers, isRunning } from './crash-processes.fixture.js';
import { type Product, startProduct, withEmptyDataDir } from './product.fixture.js';

/** The host of the one redirect that every installation here begins with. */
export const HOST = 'crash.localhost';
/** The file of a `FirstStart`, beside the data directory. */
const FIRST_START = 'first-start.json';

/** The data directory after a first start, and the values needed to run copies of it. */
export interface Installation {
  readonly token: string;
  readonly redirectId: string;
  /** Runs `work` on a copy, which is removed afterwards. */
  withCopy<T>(work: (dataDir: string) => Promise<T>): Promise<T>;
}

export interface InstallOptions {
  /** Redirects besides the one of `HOST`. */
  readonly hosts?: readonly string[];
  /** Visits of `HOST`, all of which are stored. */
  readonly visits?: number;
  /** End of the first start. Default: by SIGTERM. */
  readonly ending?: 'SIGTERM' | 'SIGKILL';
}

/** Values that only a first start prints. */
interface FirstStart {
  readonly token: string;
  readonly redirectId: string;
}

/** Makes the first start once in a run, for all files that ask for the same. */
export async function install({
  hosts = [],
  visits = 0,
  ending = 'SIGTERM',
}: InstallOptions = {}): Promise<Installation> {
  const folder = await sharedFolder(
    `installation-${ending}-${hosts.length}-${visits}`,
    async (unfinished) => {
      const dataDir = path.join(unfinished, 'data');
      await mkdir(dataDir, { mode: 0o700 });
      await copyEmbeddedTemplate(dataDir);
      const first = await makeFirstStart(dataDir, { hosts, visits, ending });
      await writeFile(path.join(unfinished, FIRST_START), JSON.stringify(first));
    },
  );
  const first: FirstStart = JSON.parse(await readFile(path.join(folder, FIRST_START), 'utf8'));
  return {
    ...first,
    withCopy: (work) =>
      withEmptyDataDir(async (dataDir) => {
        await copyFolder(path.join(folder, 'data'), dataDir);
        return work(dataDir);
      }),
  };
}

async function makeFirstStart(
  dataDir: string,
  { hosts, visits, ending }: Required<InstallOptions>,
): Promise<FirstStart> {
  const product = await startProduct({ dataDir, environment: { DEFAULT_PLAN: 'business' } });
  const { body } = await product.api<{ id: string }>('POST', '/add-redirect', {
    fromDomain: HOST,
    toDomain: 'https://destination.example',
    redirectType: 'temporary',
  });
  for (const fromDomain of hosts) {
    await product.api('POST', '/add-redirect', {
      fromDomain,
      toDomain: 'https://destination.example',
      redirectType: 'temporary',
    });
  }
  await vi.waitFor(async () => expect((await product.visit(`no-${HOST}`, '/')).status).toBe(404));
  const saved = async () => (await readSnapshotSize(dataDir)) ?? { hosts: 0 };
  if (hosts.length > 0) {
    await vi.waitFor(async () => expect(await saved()).toMatchObject({ hosts: hosts.length + 1 }));
  }
  for (let visit = 0; visit < visits; visit += 1) await product.visit(HOST, '/');
  if (visits > 0) {
    await vi.waitFor(async () => expect(await storedHits(product, body.id)).toBe(visits), {
      timeout: 30_000,
    });
  }
  expect(await product.end(ending)).toBe(ending === 'SIGTERM' ? 0 : null);
  return { token: product.token ?? '', redirectId: body.id };
}

/** The visits of a redirect as its statistics tell them; undefined where these answer 503. */
export async function storedHits(product: Product, redirectId: string): Promise<number | undefined> {
  const { status, body } = await product.api<{ data: { totalHits: number } }>(
    'GET',
    `/analytics/redirect/${redirectId}/stats/basic`,
  );
  if (status === 503) return undefined;
  expect(status).toBe(200);
  return body.data.totalHits;
}

/** Returns ports that stay the same after a restart, as in production. */
export async function fixedPorts(): Promise<Record<string, string>> {
  const [api, redirect, admin] = await freePorts(3);
  return {
    API_PORT: String(api),
    REDIRECT_PORT: String(redirect),
    ADMIN_PORT: String(admin),
    DEFAULT_PLAN: 'business',
  };
}

export function canListenOn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Both processes of a running product. */
export function processesOf(product: Product): { readonly parent: number; readonly dataplane: number } {
  const parent = product.process.pid ?? 0;
  const [dataplane = 0] = childrenOf(parent);
  if (parent === 0 || dataplane === 0) throw new Error('the product does not run as two processes');
  return { parent, dataplane };
}

/** Resolves when none of these processes runs. */
export async function expectGone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { interval: 20 });
}

/** A start that a test interrupts, or whose end it checks. */
export interface Attempt {
  readonly process: ChildProcess;
  output(): string;
  /** Resolves to the exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** Starts the product and does not wait. @param command starts this instead of the product's entry */
export function attemptStart(
  environment: Readonly<Record<string, string>>,
  command: readonly [string, ...string[]] = [
    process.execPath,
    path.join(packageRoot(), 'dist/deploy/standalone/main.js'),
  ],
): Attempt {
  const [program, ...args] = command;
  const { PATH, HOME } = processEnvironment();
  const child = spawn(program, args, {
    cwd: packageRoot(),
    env: {
      PATH,
      HOME,
      API_HOST: '127.0.0.1',
      REDIRECT_HOST: '127.0.0.1',
      API_PORT: '0',
      REDIRECT_PORT: '0',
      ADMIN_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => {
    const { pid } = child;
    if (pid !== undefined && groupMembers(pid).length > 0) process.kill(-pid, 'SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  return {
    process: child,
    output: () => output,
    exited: new Promise((resolve) => child.once('close', (code) => resolve(code))),
  };
}
