import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../shared/config/package-root.js';

/** A project with one source, and with the compiler of this one. */
let project: string;
const place = (...names: string[]) => path.join(project, ...names);

beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'waymark-build-'));
  mkdirSync(place('deploy'));
  mkdirSync(place('node_modules'));
  cpSync(path.join(packageRoot(), 'deploy', 'build.mjs'), place('deploy', 'build.mjs'));
  symlinkSync(path.join(packageRoot(), 'node_modules', 'typescript'), place('node_modules', 'typescript'));
  writeFileSync(place('package.json'), '{"type":"module"}');
  const compilerOptions = {
    module: 'NodeNext',
    rootDir: '.',
    outDir: 'dist',
    noEmitOnError: true,
    incremental: true,
    tsBuildInfoFile: 'dist/.tsbuildinfo',
    types: [],
    // The smallest library, because compile time depends on the size of the libraries.
    lib: ['ES5'],
  };
  writeFileSync(place('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['deploy'] }));
  git('init', '--quiet');
  writeFileSync(place('.gitignore'), 'dist\nnode_modules\n');
  for (const version of ['first', 'second']) {
    writeFileSync(place('deploy', 'source.ts'), `export const version = '${version}';\n`);
    git('add', '--all');
    git('commit', '--quiet', '--message', version);
    git('tag', version);
  }
});
afterAll(() => rmSync(project, { recursive: true }));

function git(...args: string[]) {
  const name = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  execFileSync('git', ['-C', project, ...name, ...args], { stdio: 'pipe' });
}

function checkOut(tag: string) {
  git('checkout', '--quiet', '--force', tag);
  // Archives and rsync set other times, so times are not reliable.
  utimesSync(place('deploy', 'source.ts'), new Date(0), new Date(0));
}

const build = (...options: string[]) =>
  spawnSync(process.execPath, [place('deploy', 'build.mjs'), ...options], { encoding: 'utf8' });
const compile = () =>
  execFileSync(process.execPath, [place('node_modules', 'typescript', 'bin', 'tsc')], { cwd: project });
const built = () => readFileSync(place('dist', 'deploy', 'source.js'), 'utf8');

beforeEach(() => {
  checkOut('first');
  expect(build()).toMatchObject({ status: 0, stderr: '' });
  expect(built()).toContain("'first'");
});

test('a checkout of another commit is built, whatever the times of its files are', () => {
  checkOut('second');
  expect(build().status).toBe(0);
  expect(built()).toContain("'second'");
});

test('unchanged sources are not compiled again, also after a copy that changes times', () => {
  utimesSync(place('deploy', 'source.ts'), new Date(), new Date());
  const content = built();
  writeFileSync(place('dist', 'deploy', 'source.js'), '// nobody has touched this');
  const { mtimeMs } = statSync(place('dist', '.tsbuildinfo'));
  expect(build().status).toBe(0);
  expect(built()).toBe('// nobody has touched this');
  expect(statSync(place('dist', '.tsbuildinfo')).mtimeMs).toBe(mtimeMs);
  writeFileSync(place('dist', 'deploy', 'source.js'), content);
});

test('a build of other sources by the compiler itself is noticed', () => {
  checkOut('second');
  compile();
  checkOut('first');
  expect(build().status).toBe(0);
  expect(built()).toContain("'first'");
});

test('sources with an error are refused, and again the next time', () => {
  writeFileSync(place('deploy', 'source.ts'), "export const version: number = 'third';\n");
  for (const _attempt of [1, 2])
    expect(build()).toMatchObject({ status: 1, stdout: expect.stringContaining('TS2322') });
});

test('without TypeScript a built tree runs, and changed sources are refused with what to do', () => {
  rmSync(place('node_modules', 'typescript'));
  try {
    expect(build()).toMatchObject({ status: 0, stderr: '' });
    checkOut('second');
    expect(build('--if-possible')).toMatchObject({ status: 0, stderr: '' });
    const { status, stderr } = build();
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^The sources have changed since the last build, and TypeScript is not installed: .*\n$/,
    );
  } finally {
    symlinkSync(path.join(packageRoot(), 'node_modules', 'typescript'), place('node_modules', 'typescript'));
  }
});

test('the console is built again when its sources change, and a build that fails keeps nothing from starting', () => {
  const page = () => readFileSync(place('dist', 'controlplane', 'console', 'index.html'), 'utf8');
  mkdirSync(place('controlplane', 'console'), { recursive: true });
  writeFileSync(place('package-lock.json'), '{}');
  writeFileSync(
    place('controlplane', 'console', 'build.mjs'),
    `import fs from 'node:fs';
const text = fs.readFileSync('controlplane/console/page.txt', 'utf8');
if (text === 'broken') process.exit(1);
fs.mkdirSync('dist/controlplane/console', { recursive: true });
fs.writeFileSync('dist/controlplane/console/index.html', text);`,
  );
  const write = (text: string) => writeFileSync(place('controlplane', 'console', 'page.txt'), text);
  write('one');
  // Without its tools nothing is built, and nothing fails.
  expect(build()).toMatchObject({ status: 0, stderr: '' });
  expect(page).toThrow();
  for (const tool of ['vite', 'preact']) mkdirSync(place('node_modules', tool));
  expect(build().status).toBe(0);
  expect(page()).toBe('one');
  write('two');
  expect(build('--console').status).toBe(0);
  expect(page()).toBe('two');
  write('broken');
  expect(build()).toMatchObject({ status: 0, stderr: expect.stringContaining('could not be built') });
  expect(build('--console').status).toBe(1);
});
