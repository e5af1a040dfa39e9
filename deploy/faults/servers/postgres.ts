import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from './free-ports.js';
import type { ServerFolder } from './server-folder.js';
import { createServerProcess, type ServerProcess } from './server-process.js';

const VERSIONS = '/usr/lib/postgresql';

export interface PostgresServer {
  readonly server: ServerProcess;
  readonly url: string;
  /** Folder of its data and configuration files, owned by the server's user. */
  readonly dataDir: string;
}

export interface PostgresOptions {
  /** Settings in the form NAME=VALUE. */
  readonly settings?: readonly string[];
  /** Nice value of its processes (nice(1)). Default: 0. */
  readonly niceness?: number;
}

/**
 * A new cluster, not started yet.
 *
 * @throws when PostgreSQL is not installed
 */
export async function createPostgres(
  folder: ServerFolder,
  { settings = [], niceness = 0 }: PostgresOptions = {},
): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error('PostgreSQL is not installed (Debian: apt-get install postgresql)');
  const home = folder.path('postgres');
  const data = path.join(home, 'data');
  const port = await freePort();
  await mkdir(home);
  // The server refuses to run as root, and its user needs access to its data.
  const isRoot = process.getuid?.() === 0;
  const asOwner = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  if (isRoot) {
    await chmod(folder.root, 0o755);
    execFileSync('chown', ['postgres', home]);
  }
  const [command = '', ...args] = [
    ...asOwner,
    path.join(bin, 'initdb'),
    '--username=waymark',
    '--auth=trust',
  ];
  execFileSync(command, [...args, '--encoding=UTF8', '--no-sync', `--pgdata=${data}`], {
    cwd: home,
    stdio: 'pipe',
  });

  const [server = '', ...serverArgs] = [
    ...(niceness === 0 ? [] : ['nice', '-n', String(niceness)]),
    ...asOwner,
    path.join(bin, 'postgres'),
    '-D',
    data,
    '-p',
    String(port),
  ];
  return {
    dataDir: data,
    url: `postgres://waymark@127.0.0.1:${port}/postgres`,
    server: createServerProcess({
      name: 'PostgreSQL',
      command: server,
      args: [
        ...serverArgs,
        ...['-h', '127.0.0.1', '-k', home],
        ...['max_connections=100', ...settings].flatMap((setting) => ['-c', setting]),
      ],
      environment: folder.environment,
      cwd: home,
      logFile: folder.path('postgres.log'),
      isUp: async () =>
        spawnSync(path.join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0,
    }),
  };
}

/** Returns the folder of the newest PostgreSQL's programs; undefined when it is not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
  return newest && path.join(VERSIONS, newest, 'bin');
}
