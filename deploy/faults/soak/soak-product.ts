import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../../shared/config/package-root.js';
import { dataDirLockState } from '../../process/data-dir-lock.js';
import { readRecords } from '../../workers/worker-record.js';
import { type Api, createApi } from '../api.js';
import { freePorts } from '../servers/free-ports.js';
import type { ServerFolder } from '../servers/server-folder.js';
import { createServerProcess, type ServerProcess } from '../servers/server-process.js';

/** The one-command product, as `npm start` runs it. */
export interface SoakProduct {
  readonly server: ServerProcess;
  readonly redirectPort: number;
  readonly api: Api;
  /** Sum over all workers. */
  metric(name: string): Promise<number>;
  /** Returns the last logged warnings and errors. */
  log(): Promise<string>;
  /** Names and ids of the main process and of the workers. */
  processes(): Promise<readonly { readonly name: string; readonly pid: number }[]>;
}

const LOG_TAIL_LINES = 20;
const TOKEN = `wm_${'s'.repeat(43)}`;

/** Starts the product with its data in `folder`. */
export async function startSoakProduct(folder: ServerFolder, workers: number): Promise<SoakProduct> {
  const [apiPort = 0, redirectPort = 0, adminPort = 0] = await freePorts(3);
  const [api, pages] = [`http://127.0.0.1:${apiPort}`, `http://127.0.0.1:${adminPort}`];
  const [dataDir, logFile] = [folder.path('data'), folder.path('product.log')];
  const server = createServerProcess({
    name: 'the product',
    command: process.execPath,
    args: ['--max-semi-space-size=4', path.join(packageRoot(), 'dist', 'deploy', 'standalone', 'main.js')],
    environment: {
      ...folder.environment,
      MALLOC_ARENA_MAX: '2',
      UV_THREADPOOL_SIZE: '6',
      DATA_DIR: dataDir,
      API_HOST: '127.0.0.1',
      API_PORT: String(apiPort),
      REDIRECT_HOST: '127.0.0.1',
      REDIRECT_PORT: String(redirectPort),
      REDIRECT_WORKERS: String(workers),
      ADMIN_PORT: String(adminPort),
      BOOTSTRAP_TOKEN: TOKEN,
      DEFAULT_PLAN: 'business',
      RATE_LIMIT_MULTIPLIER: '1000',
      DESTINATION_CHECKS: 'off',
      LOG_LEVEL: 'warn',
    },
    cwd: folder.root,
    logFile,
    isUp: async () => (await fetch(`${api}/readyz`)).ok && (await fetch(`${pages}/readyz`)).ok,
  });
  await server.start();
  return {
    server,
    redirectPort,
    api: createApi(api, TOKEN),
    async metric(name) {
      const text = await (await fetch(`${pages}/metrics`)).text();
      const series = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
      return series.reduce((sum, [, value]) => sum + Number(value), 0);
    },
    log: async () =>
      (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    async processes() {
      const holder = await dataDirLockState(dataDir);
      const main =
        holder.state === 'held' && holder.pid !== undefined ? [{ name: 'main', pid: holder.pid }] : [];
      const records = await readRecords(dataDir);
      return [...main, ...records.map(({ pid }) => ({ name: `worker ${pid}`, pid }))];
    },
  };
}
