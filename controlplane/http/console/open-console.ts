import path from 'node:path';
import type { ControlplaneConfig } from '../../../shared/config/config.js';
import { packageRoot } from '../../../shared/config/package-root.js';
import { readConsoleFiles } from './console-files.js';
import type { ConsoleOptions } from './console-routes.js';

/**
 * Reads the files of the console, which are beside the compiled control plane. Returns undefined with `CONSOLE=off`.
 */
export async function openConsole({
  hasConsole,
  publicApiUrl,
  signup,
}: ControlplaneConfig): Promise<ConsoleOptions | undefined> {
  if (!hasConsole) return undefined;
  const basePath = new URL(publicApiUrl ?? 'http://localhost').pathname.replace(/\/$/, '');
  const folder = path.join(packageRoot(), 'dist', 'controlplane', 'console');
  return { basePath, signup, files: await readConsoleFiles(folder) };
}
