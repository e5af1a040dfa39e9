import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Keeps, of the builds that uWebSockets.js brings for every platform and Node version (250 MB), the one that
 * runs here.
 */
const folder = path.resolve('node_modules/uWebSockets.js');
const mine = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const builds = readdirSync(folder).filter((name) => name.endsWith('.node'));
if (!builds.includes(mine)) throw new Error(`uWebSockets.js has no build for this image: ${mine}`);
for (const build of builds) {
  if (build !== mine) rmSync(path.join(folder, build));
}
