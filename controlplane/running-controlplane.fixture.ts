import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { parseControlplaneConfig } from '../shared/config/config.js';
import type { Controlplane } from './controlplane.js';
import { createControlplane } from './controlplane.js';
import { copyEmbeddedTemplate } from './storage/postgres/embedded-template.fixture.js';

export interface RunningControlplane {
  /** Address of its API. */
  readonly url: string;
  readonly accounts: Controlplane['accounts'];
  readonly takeReport: Controlplane['takeReport'];
  stop(): Promise<void>;
}

/** Starts the whole control plane in this process, on a free port and an empty embedded database. */
export async function startControlplane(
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningControlplane> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-controlplane-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    await copyEmbeddedTemplate(dataDir);
    const config = parseControlplaneConfig({
      DATA_DIR: dataDir,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      // Nothing listens there. These tests need no statistics, and the embedded engine is heavy.
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      // With a key, the routes for remote data planes are there too.
      SECRET_KEY: 'a key for the test of the document, 32',
      ...environment,
    });
    const controlplane = await createControlplane({
      config,
      logger: pino({ level: 'silent' }),
      version: '0.0.0-test',
      signal: new AbortController().signal,
    });
    const stop = () => controlplane.stop().finally(remove);
    try {
      const { host, port } = await controlplane.start();
      await controlplane.accounts.bootstrap({ generate: false });
      const { accounts, takeReport } = controlplane;
      return { url: `http://${host}:${port}`, accounts, takeReport, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}
