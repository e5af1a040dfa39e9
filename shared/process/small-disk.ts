import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';

/** A small temporary file system (tmpfs). */
export interface SmallDisk {
  readonly path: string;
  /** Unmounts and removes it. */
  remove(): void;
}

/** @returns undefined if this process may not mount file systems */
export function mountSmallDisk(path: string, sizeMib: number): SmallDisk | undefined {
  mkdirSync(path, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', path]);
  if (mounted.status !== 0) {
    rmSync(path, { recursive: true, force: true });
    return undefined;
  }
  const remove = () => {
    spawnSync('umount', ['--lazy', path]);
    rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return {
    path,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}
