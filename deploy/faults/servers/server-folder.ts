import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { processEnvironment } from '../../../shared/config/process-environment.js';

/** The folder of one world's servers. */
export interface ServerFolder {
  readonly root: string;
  /** The minimum environment of every process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  path(name: string): string;
  remove(): void;
}

/** Creates a folder. It is removed when this process ends, unless `isKept` is true. */
export async function createServerFolder(isKept: boolean): Promise<ServerFolder> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'waymark-faults-'));
  const remove = () => {
    if (!isKept) rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  process.once('exit', remove);
  const { PATH, HOME, LANG } = processEnvironment();
  return {
    root,
    environment: { PATH, HOME, LANG },
    path: (name) => path.join(root, name),
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}
