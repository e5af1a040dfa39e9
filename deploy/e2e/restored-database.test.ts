import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Product, startForTest, withDataDir } from './product.fixture.js';

const add = async (product: Product, fromDomain: string) => {
  const { status } = await product.api('POST', '/add-redirect', {
    fromDomain,
    toDomain: 'https://destination.example',
    redirectType: 'temporary',
  });
  expect(status).toBe(201);
};

const statusOf = async (product: Product, host: string) => (await product.visit(host, '/')).status;

test('after the embedded database was restored from a copy, visitors get what it holds and nothing else', () =>
  withDataDir(async (dataDir) => {
    const folder = path.join(dataDir, 'postgres');
    const copy = path.join(dataDir, 'copy');
    const first = await startForTest({ dataDir });
    const { token } = first;
    expect(await first.end('SIGTERM')).toBe(0);
    await cp(folder, copy, { recursive: true });

    const second = await startForTest({ dataDir, token });
    await add(second, 'later2.localhost');
    expect(await statusOf(second, 'later2.localhost')).toBe(302);
    expect(await second.end('SIGTERM')).toBe(0);

    await rm(folder, { recursive: true });
    await cp(copy, folder, { recursive: true });
    const third = await startForTest({ dataDir, token });
    expect(third.output()).toContain('a new epoch begins');
    await add(third, 'later3.localhost');
    expect(await statusOf(third, 'later3.localhost')).toBe(302);
    expect(await statusOf(third, 'later2.localhost')).toBe(404);
    const { body } = await third.api<{ head: string; dataplanes: { state: string; version: string }[] }>(
      'GET',
      '/admin/dataplanes',
    );
    expect(body.head).toMatch(/\.1$/);
    await vi.waitFor(async () => {
      const { body: now } = await third.api<typeof body>('GET', '/admin/dataplanes');
      expect(now.dataplanes).toEqual([expect.objectContaining({ state: 'live', version: body.head })]);
    });
    expect(await third.end('SIGTERM')).toBe(0);
  }));
