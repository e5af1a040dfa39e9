import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const modules = path.resolve('node_modules');

/** uWebSockets.js brings a build for every platform and Node version (116 MB). Only one of them runs here. */
function keepOwnBuild() {
  const folder = path.join(modules, 'uWebSockets.js');
  const mine = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const builds = readdirSync(folder).filter((name) => name.endsWith('.node'));
  if (!builds.includes(mine)) throw new Error(`uWebSockets.js has no build for this image: ${mine}`);
  for (const build of builds) {
    if (build !== mine) rmSync(path.join(folder, build));
  }
}

/** Types and source maps are needed only for building. */
function dropDeclarationsAndMaps() {
  for (const name of readdirSync(modules, { recursive: true })) {
    if (/\.(d\.[cm]?ts|map)$/.test(name)) rmSync(path.join(modules, name), { recursive: true });
  }
}

keepOwnBuild();
dropDeclarationsAndMaps();
