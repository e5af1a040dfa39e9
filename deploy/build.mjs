// Compiles the sources into dist/, unless dist/ is what the compiler made of these sources; then builds the console in
// the same way. Plain JavaScript, because it runs before anything is compiled.
//   --always       compile anyway
//   --if-possible  do nothing where TypeScript is not installed
//   --console      build the console only
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const DIST = path.join(ROOT, 'dist');
/** Written by the compiler each time it writes anything. */
const BUILD_INFO = path.join(DIST, '.tsbuildinfo');
const STAMP = path.join(DIST, '.sources');
const COMPILER = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

const CONSOLE = 'controlplane/console';
/** The client that the console is built with. */
const CLIENT = 'deploy/client/src';
const CONSOLE_STAMP = path.join(DIST, '.console-sources');

const options = process.argv.slice(2);
const isConsoleOnly = options.includes('--console');
const sources = isConsoleOnly ? undefined : hashOfSources();
if (!isConsoleOnly && (options.includes('--always') || !isBuiltFrom(sources))) build();
buildConsole();

/** The contents decide, not times: a checkout, a copy and an archive set times of their own. */
function hashOfSources() {
  const { include } = JSON.parse(readFileSync(path.join(ROOT, 'tsconfig.json'), 'utf8'));
  const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const hash = createHash('sha256').update(`typescript ${devDependencies?.typescript}\n`);
  addFiles(hash, [
    'tsconfig.json',
    ...include.flatMap((folder) => sourcesBelow(folder, /\.(?:[cm]?ts|json)$/)),
  ]);
  return hash.digest('hex');
}

function addFiles(hash, names) {
  for (const name of names) {
    hash.update(`${name}\n`).update(
      createHash('sha256')
        .update(readFileSync(path.join(ROOT, name)))
        .digest(),
    );
  }
}

function sourcesBelow(folder, pattern) {
  const entries = readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return name === CONSOLE ? [] : sourcesBelow(name, pattern);
      return pattern.test(entry.name) ? [name] : [];
    });
}

/**
 * Returns the stamp of a build. It includes the compiler's build info, which changes if someone runs the compiler
 * directly.
 */
function stampOf(hash) {
  const info = createHash('sha256').update(readFileSync(BUILD_INFO)).digest('hex');
  return `${hash} ${info}\n`;
}

function isBuiltFrom(hash) {
  return existsSync(STAMP) && existsSync(BUILD_INFO) && readFileSync(STAMP, 'utf8') === stampOf(hash);
}

function build() {
  if (!existsSync(COMPILER)) {
    if (options.includes('--if-possible')) return;
    const what = existsSync(DIST) ? 'The sources have changed since the last build' : 'Waymark is not built';
    process.stderr.write(
      `${what}, and TypeScript is not installed: run \`npm install --include=dev\`, which also builds. Then \`npm prune --omit=dev\` can remove it again.\n`,
    );
    process.exit(1);
  }
  rmSync(STAMP, { force: true });
  // With its build info the compiler does not write files again that were deleted or changed in dist/.
  if (options.includes('--always')) rmSync(BUILD_INFO, { force: true });
  const { status } = spawnSync(process.execPath, [COMPILER], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(DIST, { recursive: true });
  writeFileSync(STAMP, stampOf(sources));
}

/**
 * Builds the console unless it is built from these sources. Without its tools the API works, and `/` explains the
 * missing console.
 */
function buildConsole() {
  const script = path.join(ROOT, CONSOLE, 'build.mjs');
  const hasTools = ['vite', 'preact'].every((name) => existsSync(path.join(ROOT, 'node_modules', name)));
  if (!existsSync(script) || !hasTools) return;
  const hash = createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json')));
  addFiles(
    hash,
    [CONSOLE, CLIENT]
      .filter((folder) => existsSync(path.join(ROOT, folder)))
      .flatMap((folder) => sourcesBelow(folder, /./)),
  );
  const stamp = hash.digest('hex');
  const isBuilt = existsSync(CONSOLE_STAMP) && readFileSync(CONSOLE_STAMP, 'utf8') === stamp;
  const hasPage = existsSync(path.join(DIST, CONSOLE, 'index.html'));
  if (isBuilt && hasPage && !options.includes('--always')) return;
  rmSync(CONSOLE_STAMP, { force: true });
  const { status } = spawnSync(process.execPath, [script], { cwd: ROOT, stdio: 'inherit' });
  if (status === 0) writeFileSync(CONSOLE_STAMP, stamp);
  else if (isConsoleOnly || options.includes('--always')) process.exit(status ?? 1);
  else process.stderr.write('The console could not be built. Everything else starts without it.\n');
}
