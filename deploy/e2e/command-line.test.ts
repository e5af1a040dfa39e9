import { spawn } from 'node:child_process';
import path from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { runCommand } from '../cli/run-command.fixture.js';
import { createClient } from '../client/src/index.js';
import { type Product, startForTest, withDataDir } from './product.fixture.js';

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
const HOST = 'shop.localhost';

beforeAll(() => {
  vi.setConfig({ testTimeout: 300_000 });
});

/** Starts `tail` as its users do, and returns its first lines and its exit code after Ctrl-C. */
async function tailUntilInterrupted(environment: Record<string, string>, visit: () => Promise<unknown>) {
  const { PATH } = processEnvironment();
  const command = path.join(packageRoot(), 'deploy', 'cli', 'waymark.mjs');
  const child = spawn(process.execPath, [command, 'tail', HOST, '--interval', '1', '--json'], {
    env: { PATH, ...environment },
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await vi.waitFor(async () => {
    await visit();
    expect(stdout + stderr).toContain('"path":"/live"');
  });
  child.kill('SIGINT');
  return { code: await exited, first: JSON.parse(stdout.split('\n')[0] ?? '') };
}

const visitTimes = (product: Product, times: number) =>
  Promise.all(Array.from({ length: times }, () => product.visit(HOST, '/a?b=c', { headers: BROWSER })));

test('the command line shows hits, statistics and what is wrong', () =>
  withDataDir(async (dataDir) => {
    const product = await startForTest({ dataDir, environment: { DEFAULT_PLAN: 'business' } });
    const environment = { WAYMARK_URL: product.apiAddress, WAYMARK_TOKEN: product.token! };
    const waymark = (line: string) => runCommand(line.split(' '), { environment });
    expect((await waymark(`redirects create ${HOST} https://new.example`)).code).toBe(0);

    const port = new URL(product.redirectAddress).port;
    // The data plane has not yet reported the change.
    const doctor = await waymark(`doctor ${HOST} --http-port ${port}`);
    expect(doctor.code, doctor.stdout + doctor.stderr).toBe(0);
    expect(doctor.stderr).toBe('');
    expect(doctor.stdout).toMatch(/✓ data planes: .* serves the newest ruleset: 1 host\.\n/);
    expect(doctor.stdout).toMatch(/\n\d fine, 0 warnings, 0 failed\.\n$/);
    expect(doctor.stdout).toContain(`✓ ${HOST}: Port ${port} answers 301 to https://new.example`);
    const closed = await waymark(`doctor ${HOST} --http-port 1`);
    expect(closed.code).toBe(1);
    expect(closed.stdout).toMatch(
      /✗ shop\.localhost: Port 1: .*ECONNREFUSED.*\n {2}→ Open port 1 at 127\.0\.0\.1/,
    );

    let visits = 3;
    await visitTimes(product, visits);
    const tail = await waymark(`tail ${HOST} --since 300 --count 3 --people`);
    expect(tail.stdout).toMatch(
      /^(\d\d:\d\d:\d\d 301 shop\.localhost\/a\?b=c → https:\/\/new\.example Firefox, Linux\n){3}$/,
    );
    const live = await tailUntilInterrupted(environment, () => {
      visits++;
      return product.visit(HOST, '/live', { headers: BROWSER });
    });
    expect(live).toMatchObject({ code: 130, first: { path: '/live', statusCode: 301 } });

    const { json } = await waymark(`stats ${HOST} --json`);
    expect(json.data.topBrowsers[0]).toMatchObject({ browser: 'Firefox' });
    const stats = await waymark(`stats ${HOST} --days 7`);
    expect(stats.stdout).toMatch(
      /^shop\.localhost → https:\/\/new\.example\n\d+ hits in 7 days; 1 visitor, /,
    );
    expect(stats.stdout).toMatch(/\n▁{6}█ {2}\d{4}-\d\d-\d\d to /);
    expect((await waymark('stats')).stdout).toMatch(/shop\.localhost +active +\d+ +- +yes/);

    // Pages with numbers, as hits have them.
    const client = createClient({ url: product.apiAddress, token: product.token! });
    const { id } = (await client.redirects.list().toArray())[0]!;
    const countHits = async () => {
      const path = `/analytics/redirect/${id}/hits?limit=1&isBot=false`;
      const { body } = await product.api<{ pagination: { total: number } }>('GET', path);
      return body.pagination.total;
    };
    // A hit that is stored between two pages would move the others.
    await expect.poll(countHits).toBe(visits);
    const pages = [];
    const query = { limit: 2, isBot: false, end: new Date().toISOString() };
    for await (const page of client.analytics.hits(id, query).pages()) pages.push(page.map((hit) => hit.id));
    expect(pages.length).toBeGreaterThan(1);
    expect(new Set(pages.flat()).size).toBe(pages.flat().length);
  }));
