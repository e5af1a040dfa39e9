import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { killWorkers, type Product, startForTest, withDataDir } from './product.fixture.js';

/** Room for some redirects. */
const environment = { DEFAULT_PLAN: 'business' };
const PATIENCE = { timeout: 60_000, interval: 200 };

/** @returns the output of the command, with an exit code other than 0 as `code` */
async function run(command: 'backup' | 'restore', dataDir: string, file: string) {
  const { PATH, HOME } = processEnvironment();
  const script = path.join(packageRoot(), 'dist', 'deploy', 'backup', `${command}.js`);
  return promisify(execFile)(process.execPath, [script, file], {
    env: { PATH, HOME, DATA_DIR: dataDir },
  }).catch((error: { code: number; stdout: string; stderr: string }) => error);
}

const addRedirect = (product: Product, fromDomain: string) =>
  product.api<{ id: string }>('POST', '/add-redirect', {
    fromDomain,
    toDomain: 'https://destination.example',
  });

async function recordedHits(product: Product): Promise<number[]> {
  const { body } = await product.api<{ analyticsUsage: { recordedHits: number } }[]>(
    'GET',
    '/get-redirects/me',
  );
  return body.map(({ analyticsUsage }) => analyticsUsage.recordedHits);
}

test(
  'what a running product backs up is served elsewhere, with its statistics and tokens',
  {
    timeout: 240_000,
  },
  () =>
    withDataDir(async (folder) => {
      const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
      const file = path.join(folder, 'backup.tar.gz');
      const product = await startForTest({ dataDir: first, environment });
      expect((await addRedirect(product, 'before.localhost')).status).toBe(201);
      for (let visits = 0; visits < 20; visits += 1) await product.visit('before.localhost', '/');
      await vi.waitFor(async () => expect(await recordedHits(product)).toEqual([20]), PATIENCE);

      // Visitors and dashboards are answered while the backup is made.
      let isDone = false;
      const backup = run('backup', first, file).finally(() => {
        isDone = true;
      });
      for (let index = 0; !isDone && index < 40; index += 1) {
        expect((await product.visit('before.localhost', '/')).status).toBe(301);
        expect((await addRedirect(product, `during-${index}.localhost`)).status).toBe(201);
      }
      expect(await backup).toMatchObject({ stdout: expect.stringContaining(`is in ${file}`) });

      expect(await run('restore', first, file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`is in use by process ${product.process.pid}`),
      });
      await product.end('SIGKILL');
      await killWorkers(first);
      await rm(first, { recursive: true });

      const restored = await run('restore', second, file);
      expect(restored.stdout, restored.stderr).toMatch(/Start Waymark now\.\n$/);
      const again = await startForTest({ dataDir: second, token: product.token, environment });
      expect((await again.visit('before.localhost', '/')).headers.location).toBe(
        'https://destination.example',
      );
      // The usage of the month is counted soon after a start.
      await vi.waitFor(
        async () => expect(Math.max(...(await recordedHits(again)))).toBeGreaterThanOrEqual(20),
        PATIENCE,
      );
      expect((await addRedirect(again, 'after.localhost')).status).toBe(201);
      await vi.waitFor(
        async () => expect((await again.visit('after.localhost', '/')).status).toBe(301),
        PATIENCE,
      );
      expect(await again.end('SIGTERM')).toBe(0);
    }),
);
