import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { parseControlplaneConfig } from '../shared/config/config.js';
import { createControlplane } from './controlplane.js';
import { copyEmbeddedTemplate } from './storage/postgres/embedded-template.fixture.js';

/** Returns the text of `/openapi.json` of the whole control plane. */
export async function readWholeDocument(): Promise<string> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-openapi-'));
  try {
    await copyEmbeddedTemplate(dataDir);
    const config = parseControlplaneConfig({
      DATA_DIR: dataDir,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      // Nothing listens there. The document needs no statistics, and the embedded engine is heavy.
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      // With a key, the routes for remote data planes are there too.
      SECRET_KEY: 'a key for the test of the document, 32',
    });
    const controlplane = await createControlplane({
      config,
      logger: pino({ level: 'silent' }),
      version: '0.0.0-test',
      signal: new AbortController().signal,
    });
    try {
      const { host, port } = await controlplane.start();
      const response = await fetch(`http://${host}:${port}/openapi.json`);
      return await response.text();
    } finally {
      await controlplane.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
