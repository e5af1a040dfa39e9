// Builds the console and compresses its files. `deploy/build.mjs` runs it; see the README beside it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';

const configFile = path.join(import.meta.dirname, 'vite.config.mjs');
const FOLDER = path.resolve(import.meta.dirname, '../../dist/controlplane/console');
const ASSETS = path.join(FOLDER, 'assets');

await build({ configFile });
// Built apart, so that they share no file with the console: what browsers keep of them outlives upgrades.
await build({
  configFile,
  build: {
    emptyOutDir: false,
    rolldownOptions: {
      input: ['away.html', 'worker.ts'].map((name) => path.join(import.meta.dirname, name)),
      output: { entryFileNames: ({ name }) => (name === 'worker' ? 'worker.js' : 'assets/[name]-[hash].js') },
    },
  },
});
nameAwayPage();
for (const name of readdirSync(ASSETS)) {
  const body = readFileSync(path.join(ASSETS, name));
  const brotli = brotliCompressSync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });
  if (brotli.length < body.length) writeFileSync(path.join(ASSETS, `${name}.br`), brotli);
}

/** Writes the digest of the page into the service worker. */
function nameAwayPage() {
  const page = readFileSync(path.join(FOLDER, 'away.html'));
  const digest = createHash('sha256').update(page).digest('hex').slice(0, 16);
  const worker = path.join(FOLDER, 'worker.js');
  writeFileSync(worker, readFileSync(worker, 'utf8').replace('__AWAY__', digest));
}
