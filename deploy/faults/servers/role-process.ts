import path from 'node:path';
import { packageRoot } from '../../../shared/config/package-root.js';
import type { ServerFolder } from './server-folder.js';
import { createServerProcess, type ServerProcess } from './server-process.js';

export interface RolePlan {
  readonly role: 'controlplane' | 'dataplane' | 'ingest';
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  isUp(): Promise<boolean>;
}

/** Creates the process of a role, without starting it. It starts as operators start it. */
export function createRoleProcess(
  folder: ServerFolder,
  { role, name, environment, isUp }: RolePlan,
): ServerProcess {
  return createServerProcess({
    name,
    command: process.execPath,
    args: [path.join(packageRoot(), 'dist', 'deploy', 'roles', `${role}.js`)],
    environment: { ...folder.environment, ...environment },
    cwd: folder.root,
    logFile: folder.path(`${name.replaceAll(' ', '-')}.log`),
    isUp,
  });
}
