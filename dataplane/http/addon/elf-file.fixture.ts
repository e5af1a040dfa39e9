import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The binaries for Linux that the installed package holds: every machine and Node version. */
export const LINUX_ADDONS = ['x64', 'arm64'].flatMap((machine) =>
  ['115', '127', '137', '141'].map((abi) => `uws_linux_${machine}_${abi}.node`),
);

/** A fresh copy of a file of the installed package. */
export function readAddon(fileName: string): Buffer {
  const folder = path.dirname(createRequire(import.meta.url).resolve('uWebSockets.js'));
  return readFileSync(path.join(folder, fileName));
}
