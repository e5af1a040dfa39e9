import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ignoring } from '../../../shared/process/error-facts.js';

/** A file of the console with a hash in its name. */
export interface ConsoleAsset {
  readonly type: string;
  readonly body: Buffer;
  /** The same in Brotli; undefined if that is not smaller. */
  readonly brotli: Buffer | undefined;
}

export interface ConsoleFiles {
  /** The page, with placeholders that `console-routes.ts` fills in. */
  readonly page: string;
  /** The page for a server that is away, with placeholders. */
  readonly awayPage: string;
  /** The service worker, which keeps that page. */
  readonly worker: Buffer;
  /** Files by name. */
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

const ASSETS = 'assets';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

/** Reads the output of `controlplane/console/build.mjs`. Resolves to undefined if nothing is built. */
export function readConsoleFiles(folder: string): Promise<ConsoleFiles | undefined> {
  return readBuilt(folder).catch(ignoring('ENOENT'));
}

async function readBuilt(folder: string): Promise<ConsoleFiles> {
  const [page, awayPage, worker] = await Promise.all([
    readFile(path.join(folder, 'index.html'), 'utf8'),
    readFile(path.join(folder, 'away.html'), 'utf8'),
    readFile(path.join(folder, 'worker.js')),
  ]);
  const names = await readdir(path.join(folder, ASSETS));
  const assets = await Promise.all(
    names.filter((name) => path.extname(name) in TYPES).map((name) => readAsset(folder, name)),
  );
  return { page, awayPage, worker, assets: new Map(assets) };
}

async function readAsset(folder: string, name: string): Promise<[string, ConsoleAsset]> {
  const file = path.join(folder, ASSETS, name);
  const [body, brotli] = await Promise.all([
    readFile(file),
    readFile(`${file}.br`).catch(ignoring('ENOENT')),
  ]);
  return [name, { type: TYPES[path.extname(name)] ?? 'application/octet-stream', body, brotli }];
}
