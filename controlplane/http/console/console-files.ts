import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A file of the console with a hash in its name. */
export interface ConsoleAsset {
  readonly type: string;
  readonly body: Buffer;
  /** The same in Brotli; undefined if that is not smaller. */
  readonly brotli: Buffer | undefined;
}

export interface ConsoleFiles {
  /** The page, with placeholders that `console-page.ts` fills in. */
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
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles | undefined> {
  try {
    const [page, awayPage] = await Promise.all(
      ['index.html', 'away.html'].map((name) => readFile(path.join(folder, name), 'utf8')),
    );
    const worker = await readFile(path.join(folder, 'worker.js'));
    const names = await readdir(path.join(folder, ASSETS));
    const assets = await Promise.all(
      names.filter((name) => path.extname(name) in TYPES).map((name) => readAsset(folder, name)),
    );
    return { page: page ?? '', awayPage: awayPage ?? '', worker, assets: new Map(assets) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readAsset(folder: string, name: string): Promise<[string, ConsoleAsset]> {
  const file = path.join(folder, ASSETS, name);
  const [body, brotli] = await Promise.all([readFile(file), readIfThere(`${file}.br`)]);
  return [name, { type: TYPES[path.extname(name)] ?? 'application/octet-stream', body, brotli }];
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
