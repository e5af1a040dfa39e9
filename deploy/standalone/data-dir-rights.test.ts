import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProduct, withEmptyDataDir } from '../e2e/product.fixture.js';

/**
 * Finds files and folders that others may access. Symbolic links are skipped, because their own permissions have no
 * effect.
 */
function openPlaces(dataDir: string): string[] {
  const found = execFileSync('find', [dataDir, '!', '-type', 'l', '-perm', '/077'], { encoding: 'utf8' });
  return found.split('\n').filter(Boolean);
}

test('nobody else has any right to DATA_DIR, and rights found at a start are taken away', () =>
  withEmptyDataDir(async (folder) => {
    const dataDir = path.join(folder, 'data');
    const running = async (token?: string) => {
      const product = await startProduct({ dataDir, token, environment: { LOG_LEVEL: 'info' } });
      onTestFinished(() => void product.process.kill('SIGKILL'));
      const created = await product.api('POST', '/add-redirect', {
        fromDomain: `${token === undefined ? 'first' : 'second'}.localhost`,
        toDomain: 'https://destination.example',
      });
      expect(created.status).toBe(201);
      expect(openPlaces(dataDir)).toEqual([]);
      expect(await product.end('SIGTERM')).toBe(0);
      return product;
    };
    const first = await running();
    expect(openPlaces(dataDir)).toEqual([]);
    expect(first.output()).not.toContain('other users had access');
    // The information for a new user follows one line of progress.
    expect(first.output()).toMatch(/^First start: .*\n\nWaymark is running\.\n/);

    execFileSync('chmod', ['-R', 'a+rX', dataDir]);
    const second = await running(first.token);
    expect(openPlaces(dataDir)).toEqual([]);
    expect(second.output().match(/other users had access to DATA_DIR/g)).toHaveLength(1);
  }));
