import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { copyFolder, sharedFolder } from '../../../shared/process/shared-folder.fixture.js';
import type { AnalyticsStore } from './analytics-store.js';
import { openAnalyticsStore } from './client.js';
import { migrateAnalyticsStore } from './migrate.js';

export const silentLogger = pino({ level: 'silent' });

/** An embedded store in a separate folder, with all tables. A process can have one open at a time. */
export interface TestStore {
  readonly store: AnalyticsStore;
  readonly dataDir: string;
  /** Closes the store and opens it again on the same folder. */
  reopen(): Promise<void>;
  /** Closes the store and removes its folder. */
  remove(): Promise<void>;
}

export async function createTestStore(): Promise<TestStore> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-store-'));
  // Making the tables takes longer than many tests, so a run makes them once.
  await copyFolder(await sharedFolder('statistics', makeTables), dataDir);
  let store = await openAnalyticsStore({ dataDir });
  return {
    get store() {
      return store;
    },
    dataDir,
    async reopen() {
      await store.close();
      store = await openAnalyticsStore({ dataDir });
    },
    async remove() {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function makeTables(dataDir: string): Promise<void> {
  const store = await openAnalyticsStore({ dataDir });
  await migrateAnalyticsStore(store, silentLogger);
  await store.close();
}
