import { freePorts } from './servers/free-ports.js';
import { createRoleProcess } from './servers/role-process.js';
import type { ServerFolder } from './servers/server-folder.js';
import type { ServerProcess } from './servers/server-process.js';

/** One data plane: a supervisor and its worker, with its own port and data directory. */
export interface DataplaneProcess {
  readonly server: ServerProcess;
  readonly port: number;
  readonly dataDir: string;
  readiness(): Promise<{ readonly ready: boolean; readonly hosts: number; readonly state: string }>;
  /** Sum over its workers. */
  metric(name: string): Promise<number>;
  /** Whether it runs, with or without a ruleset. */
  isAlive(): Promise<boolean>;
}

export interface DataplaneOptions {
  readonly number: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: a folder beside those of the servers. */
  readonly dataDir?: string;
}

const TIMEOUT_MS = 3_000;

export async function createDataplane(
  folder: ServerFolder,
  options: DataplaneOptions,
): Promise<DataplaneProcess> {
  const { number, dataDir = folder.path(`dataplane-${number}`) } = options;
  const [port = 0, adminPort = 0] = await freePorts(2);
  const ask = (page: string) =>
    fetch(`http://127.0.0.1:${adminPort}${page}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });

  return {
    port,
    dataDir,
    server: createRoleProcess(folder, {
      role: 'dataplane',
      name: `data plane ${number}`,
      environment: {
        ...options.environment,
        DATA_DIR: dataDir,
        REDIRECT_HOST: '127.0.0.1',
        REDIRECT_PORT: String(port),
        ADMIN_PORT: String(adminPort),
      },
      isUp: async () => (await ask('/readyz')).ok,
    }),
    readiness: async () =>
      (await (await ask('/readyz')).json()) as { ready: boolean; hosts: number; state: string },
    async metric(name) {
      const text = await (await ask('/metrics')).text();
      const series = [...text.matchAll(new RegExp(`^${name}\\{worker="\\d+"\\} (\\S+)$`, 'gm'))];
      if (series.length === 0) throw new Error(`data plane ${number} shows no ${name}`);
      return series.reduce((sum, [, value]) => sum + Number(value), 0);
    },
    isAlive: async () => (await ask('/healthz')).ok,
  };
}
