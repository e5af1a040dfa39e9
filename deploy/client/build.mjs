// Builds the package @waymark/client into dist/packages/client, or into the folder of the first argument.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.dirname(path.dirname(HERE));
const OUT = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist', 'packages', 'client'));
const COMPILER = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const { status } = spawnSync(process.execPath, [COMPILER, '-p', HERE, '--outDir', OUT], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
for (const file of ['package.json', 'README.md']) copyFileSync(path.join(HERE, file), path.join(OUT, file));
copyFileSync(path.join(ROOT, 'LICENSE'), path.join(OUT, 'LICENSE'));
