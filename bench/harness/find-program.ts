import { spawnSync } from 'node:child_process';

/** Folders where distributions install servers. The search path of ordinary users often lacks them. */
const SERVER_FOLDERS = ['', '/usr/sbin/', '/usr/local/sbin/', '/opt/homebrew/bin/'];

/**
 * Returns the command of an installed program, or undefined.
 *
 * @param probe arguments with which the program exits immediately
 */
export function findProgram(name: string, probe: string): string | undefined {
  return SERVER_FOLDERS.map((folder) => folder + name).find(
    (command) => spawnSync(command, [probe], { stdio: 'ignore', timeout: 5_000 }).error === undefined,
  );
}
