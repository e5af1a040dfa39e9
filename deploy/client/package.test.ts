import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { TEST_TOKEN, useControlplane } from './product.fixture.js';
import { type ApiDocument, typesFile } from './types-file.fixture.js';

const run = promisify(execFile);
const HERE = path.join(packageRoot(), 'deploy', 'client');
const COMPILER = path.join(packageRoot(), 'node_modules', 'typescript', 'bin', 'tsc');
const MAX_COMPRESSED_BYTES = 15 * 1024;

const product = useControlplane();
/** A project that has installed the package. */
let project: string;
let installed: string;

beforeAll(async () => {
  project = await mkdtemp(path.join(os.tmpdir(), 'waymark-client-'));
  installed = path.join(project, 'node_modules', '@waymark', 'client');
  await mkdir(path.dirname(installed), { recursive: true });
  await run(process.execPath, [path.join(HERE, 'build.mjs'), installed]);
});
afterAll(() => rm(project, { recursive: true, force: true }));

it('has the types of the API as it is; `npm run client:types` writes them again', async () => {
  const document = (await (await fetch(`${product.url}/openapi.json`)).json()) as ApiDocument;
  await expect(typesFile(document)).toMatchFileSnapshot(path.join(HERE, 'src', 'operations.ts'));
});

it('runs the example of its README as printed', async () => {
  const readme = await readFile(path.join(installed, 'README.md'), 'utf8');
  const example = /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
  expect(example.split('\n').length).toBeLessThanOrEqual(11);
  await writeFile(path.join(project, 'example.mjs'), example);
  const { PATH } = processEnvironment();
  const env = { PATH, WAYMARK_URL: product.url, WAYMARK_TOKEN: TEST_TOKEN };
  const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: project, env });
  expect(stdout).toMatch(/^shop\.localhost true\n404 NOT_FOUND \S.*\n$/);
});

it(`has no dependencies, and at most ${MAX_COMPRESSED_BYTES} compressed bytes of JavaScript`, async () => {
  const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as object;
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  const files = (await readdir(installed)).filter((file) => file.endsWith('.js'));
  const code = await Promise.all(files.map((file) => readFile(path.join(installed, file), 'utf8')));
  expect(code.join('').match(/\bfrom '(?!\.\/)|\brequire\(/g)).toBeNull();
  expect(gzipSync(code.join('')).length).toBeLessThanOrEqual(MAX_COMPRESSED_BYTES);
});

const PROGRAM = `
import { createClient, WaymarkError, type Redirect, type Schemas } from '@waymark/client';

const waymark = createClient({ token: 'wm_…' });
const redirect: Redirect = await waymark.request('GET', '/redirects/{id}', { params: { id: 'x' } });
const data: Schemas.TimeStats = await waymark.analytics.stats(redirect.id, 'time', { interval: 'hour' });
for await (const hit of waymark.analytics.hits(redirect.id)) hit.isBot satisfies boolean;
await waymark.request('GET', '/redirects').catch((error) => error instanceof WaymarkError && error.code === 'NOT_FOUND');
data.meta.interval satisfies string;
// @ts-expect-error There is no such path.
await waymark.request('GET', '/redirect');
// @ts-expect-error The path takes no PUT.
await waymark.request('PUT', '/redirects/{id}', { params: { id: 'x' } });
// @ts-expect-error The parameter of the path is missing.
await waymark.request('GET', '/redirects/{id}');
// @ts-expect-error The query has no such value.
await waymark.request('GET', '/redirects', { query: { status: 'lost' } });
// @ts-expect-error The body lacks toDomain.
await waymark.redirects.create({ fromDomain: 'a.example' });
// @ts-expect-error There is no such action.
await waymark.rules.create('x', { name: 'Germany', type: 'force', action: { type: 'gone' } });
// @ts-expect-error A rule has an action.
await waymark.rules.create('x', { name: 'Germany', type: 'force' });
// @ts-expect-error There are no such statistics.
await waymark.analytics.stats('x', 'weather');
`;

it.each([
  ['browsers', { lib: ['ES2022', 'DOM', 'DOM.AsyncIterable'], types: [] }],
  [
    'Node',
    { lib: ['ES2022'], types: ['node'], typeRoots: [path.join(packageRoot(), 'node_modules/@types')] },
  ],
])('gives programs for %s the types of the API', async (_, environment) => {
  const compilerOptions = {
    ...environment,
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  };
  await writeFile(path.join(project, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(project, 'program.ts'), PROGRAM);
  const settings = JSON.stringify({ compilerOptions, files: ['program.ts'] });
  await writeFile(path.join(project, 'tsconfig.json'), settings);
  const { stdout } = await run(process.execPath, [COMPILER, '-p', project]).catch((error) => error);
  expect(stdout).toBe('');
});
