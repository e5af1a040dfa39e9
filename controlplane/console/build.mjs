// Builds the console and compresses its files. `deploy/build.mjs` runs it; see the README beside it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';

const configFile = path.join(import.meta.dirname, 'vite.config.mjs');
const ASSETS = path.resolve(import.meta.dirname, '../../dist/controlplane/console/assets');

await build({ configFile });
for (const name of readdirSync(ASSETS)) {
  const body = readFileSync(path.join(ASSETS, name));
  const brotli = brotliCompressSync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });
  if (brotli.length < body.length) writeFileSync(path.join(ASSETS, `${name}.br`), brotli);
}
