import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { parseControlplaneConfig } from '../shared/config/config.js';
import { type Controlplane, createControlplane } from './controlplane.js';
import { copyEmbeddedTemplate } from './storage/postgres/embedded-template.fixture.js';

export interface WholeControlplane {
  /** Without a slash at the end. */
  readonly url: string;
  readonly accounts: Controlplane['accounts'];
  stop(): Promise<void>;
}

/** Starts the whole control plane on an embedded database, without statistics. */
export async function startWholeControlplane(
  env: Readonly<Record<string, string>> = {},
): Promise<WholeControlplane> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-whole-'));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  try {
    await copyEmbeddedTemplate(dataDir);
    const config = parseControlplaneConfig({
      DATA_DIR: dataDir,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      // Nothing listens there, and the embedded engine is heavy.
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      ...env,
    });
    const controlplane = await createControlplane({
      config,
      logger: pino({ level: 'silent' }),
      version: '0.0.0-test',
      signal: new AbortController().signal,
    });
    const { host, port } = await controlplane.start();
    return {
      url: `http://${host}:${port}`,
      accounts: controlplane.accounts,
      stop: () => controlplane.stop().finally(removeData),
    };
  } catch (error) {
    await removeData();
    throw error;
  }
}
