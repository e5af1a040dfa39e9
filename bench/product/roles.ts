import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../deploy/faults/servers/free-ports.js';
import { until } from '../../deploy/faults/until.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import type { Bench } from '../scenarios/scenario.js';

const START_LIMIT_MS = 600_000;
const STOP_LIMIT_MS = 15_000;
const ASK_LIMIT_MS = 2_000;
const LOOK_AGAIN_MS = 20;
/**
 * Nice value of processes that share a machine with data planes, because visitors come first. It gives them the same
 * weight against data planes as `CPUWeight=1000` in the unit of a data plane.
 */
export const NICENESS_BESIDE_VISITORS = 10;
export const TOKEN = `wm_${'b'.repeat(43)}`;

/** A role of the product, in separate processes. It can be stopped and started again with the same data. */
export interface Role {
  /** Port of the API, or of the visitors. */
  readonly port: number;
  readonly dataDir: string;
  /** Id of its first process. @throws if it does not run */
  readonly pid: number;
  /** Starts the process; does not wait until it is ready. */
  launch(): Promise<void>;
  /** @throws when it ends before it is ready, or is not ready after ten minutes */
  untilReady(): Promise<void>;
  /** Reads a Prometheus metric. Sums its series. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;
type Launching = Pick<Bench, 'processes' | 'cores' | 'workFolder'>;

const COMMON: Environment = {
  SECRET_KEY: 'the same for all roles of one installation',
  LOG_LEVEL: 'warn',
};

/** @param environment names the servers */
export async function createControlplane(
  bench: Launching,
  name: string,
  environment: Environment,
): Promise<Role> {
  const [port = 0] = await freePorts(1);
  return createRole(bench, {
    role: 'controlplane',
    name,
    port,
    healthPort: port,
    niceness: NICENESS_BESIDE_VISITORS,
    environment: {
      ...environment,
      API_HOST: '127.0.0.1',
      API_PORT: String(port),
      BOOTSTRAP_TOKEN: TOKEN,
      BILLING: 'sandbox',
      DEFAULT_PLAN: 'business',
      RATE_LIMIT_MULTIPLIER: '1000',
      ALLOW_LOCALHOST_DOMAINS: 'on',
    },
  });
}

/** @param environment names the servers */
export async function createDataplane(
  bench: Launching,
  name: string,
  environment: Environment,
): Promise<Role> {
  const [port = 0, healthPort = 0] = await freePorts(2);
  return createRole(bench, {
    role: 'dataplane',
    name,
    port,
    healthPort,
    environment: {
      ...environment,
      REDIRECT_HOST: '127.0.0.1',
      REDIRECT_PORT: String(port),
      ADMIN_PORT: String(healthPort),
    },
  });
}

interface RoleOptions {
  readonly role: 'controlplane' | 'dataplane';
  /** Name of the folder. */
  readonly name: string;
  readonly port: number;
  readonly healthPort: number;
  readonly niceness?: number;
  readonly environment: Environment;
}

async function createRole(bench: Launching, options: RoleOptions): Promise<Role> {
  const { role, name, port, healthPort, niceness, environment } = options;
  const { processes, cores, workFolder } = bench;
  const dataDir = path.join(workFolder, name);
  await mkdir(dataDir);
  const entry = fileURLToPath(new URL(`../../deploy/roles/${role}.js`, import.meta.url));
  const { PATH, HOME, LANG } = processEnvironment();
  let launched: Awaited<ReturnType<typeof processes.launch>> | undefined;
  const running = () => {
    if (launched === undefined || launched.hasEnded()) {
      throw new Error(`the ${name} does not run; it said:\n${launched?.complaints()}`);
    }
    return launched;
  };
  const get = (page: string) =>
    fetch(`http://127.0.0.1:${healthPort}${page}`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) });

  return {
    port,
    dataDir,
    get pid() {
      return running().pid;
    },
    async launch() {
      launched = await processes.launch(process.execPath, [entry], {
        ...(cores.canPin && { cores: `${cores.server},${cores.load}` }),
        ...(niceness !== undefined && { niceness }),
        environment: { PATH, HOME, LANG, ...COMMON, ...environment, DATA_DIR: dataDir },
      });
    },
    async untilReady() {
      const isReady = async () => launched?.hasEnded() || (await get('/readyz')).ok;
      const what = `the start of the ${name}`;
      await until(isReady, { timeoutMs: START_LIMIT_MS, intervalMs: LOOK_AGAIN_MS, what });
      running();
    },
    async metric(metric) {
      const text = await (await get('/metrics')).text();
      const series = [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
      if (series.length === 0) throw new Error(`the ${name} shows no ${metric}`);
      return series.reduce((sum, [, value]) => sum + Number(value), 0);
    },
    async stop() {
      await processes.end(running(), STOP_LIMIT_MS);
      launched = undefined;
    },
  };
}
