import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

const run = promisify(execFile);

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of one test run, for what several files share. */
    readonly runFolder: string;
  }
}

/** Creates the folder of the run before all test files, and removes it after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-run-'));
  project.provide('runFolder', folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Returns the folder `name` of this run. The first file that asks fills it with `make`. Treat it as read-only: take a
 * copy.
 */
export async function sharedFolder(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = path.join(inject('runFolder'), name);
  if (existsSync(folder)) return folder;
  // Two processes may fill it at the same time. The first to finish gives the folder its name.
  const unfinished = await mkdtemp(`${folder}-`);
  await make(unfinished);
  await rename(unfinished, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

/** Copies the content of a folder into an existing one. `cp` needs a sixth of the CPU time of Node's function. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await run('cp', ['-Rp', `${from}/.`, to]);
}
