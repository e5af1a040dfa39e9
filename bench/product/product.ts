import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../deploy/faults/until.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import type { LaunchedProcess } from '../harness/child-processes.js';
import type { Bench } from '../scenarios/scenario.js';

const ENTRY = fileURLToPath(new URL('../../deploy/standalone/main.js', import.meta.url));
const START_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 15_000;
const CALL_LIMIT_MS = 60_000;
const TOKEN_HEX = 48;

/** Unsets the variables that would connect the product to servers which a scenario did not ask for. */
const NO_SERVERS = {
  DATABASE_URL: undefined,
  REDIS_URL: undefined,
  KAFKA_BROKERS: undefined,
  CLICKHOUSE_URL: undefined,
  STRIPE_SECRET_KEY: undefined,
} as const;

/** The whole product in one command, as a new user runs it. */
export interface Product {
  readonly pid: number;
  readonly apiAddress: string;
  readonly redirectPort: number;
  /** 0 without TLS_PORT. */
  readonly tlsPort: number;
  /** Token of a user who exists in this data directory only. */
  readonly token: string;
  stop(): Promise<void>;
}

export interface ProductOptions extends Pick<Bench, 'processes' | 'cores'> {
  readonly dataDir: string;
  /** Additional variables, which name the servers to use. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Cores to run on. Default: all; the product then divides the machine among its processes. */
  readonly runsOn?: string;
}

/** Starts it on free ports of the loopback and waits until it reports that it runs. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const { processes, cores, dataDir, environment, runsOn = `${cores.server},${cores.load}` } = options;
  const token = await tokenOf(dataDir);
  const launched = await processes.launch(process.execPath, [ENTRY], {
    cores: runsOn,
    environment: {
      ...processEnvironment(),
      ...NO_SERVERS,
      DATA_DIR: dataDir,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      REDIRECT_HOST: '127.0.0.1',
      REDIRECT_PORT: '0',
      ADMIN_PORT: '0',
      BOOTSTRAP_TOKEN: token,
      BOOTSTRAP_EMAIL: `${token.slice(-TOKEN_HEX / 4).toLowerCase()}@bench.localhost`,
      LOG_LEVEL: 'warn',
      BILLING: 'sandbox',
      DEFAULT_PLAN: 'business',
      RATE_LIMIT_MULTIPLIER: '1000',
      ...environment,
    },
  });
  await untilRunning(launched);
  const printed = (label: string) =>
    new RegExp(`^ *${label} +(\\S+)`, 'm').exec(launched.output())?.[1] ?? '';
  return {
    pid: launched.pid,
    apiAddress: printed('API'),
    redirectPort: Number(new URL(printed('Redirects')).port),
    tlsPort: Number(/:(\d+)$/.exec(printed('HTTPS'))?.[1] ?? 0),
    token,
    stop: () => processes.end(launched, STOP_LIMIT_MS),
  };
}

/** The access token of the product in `dataDir`: made once, and the same at every later start there. */
async function tokenOf(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'bench-token');
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const token = `wm_${randomBytes(TOKEN_HEX / 2).toString('hex')}`;
  await writeFile(file, token);
  return token;
}

async function untilRunning(launched: LaunchedProcess): Promise<void> {
  const isRunning = () => launched.output().includes('Waymark is running');
  const isSettled = () => launched.hasEnded() || isRunning();
  await until(isSettled, { timeoutMs: START_LIMIT_MS }).catch(() => undefined);
  if (!isRunning()) throw new Error(`the product did not start; it said:\n${launched.complaints()}`);
}

/** Calls the product's API; with the body of the answer. @throws when it is an error */
export async function callApi<T>(
  { apiAddress, token }: Pick<Product, 'apiAddress' | 'token'>,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(apiAddress + url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${answer}`);
  return JSON.parse(answer) as T;
}

/** Adds a redirect that forwards path and query. It is served immediately, because its name is below `.localhost`. */
export function addRedirect(
  product: Pick<Product, 'apiAddress' | 'token'>,
  redirect: { readonly fromDomain: string; readonly toDomain: string; readonly samplingRate?: number },
): Promise<{ readonly id: string }> {
  return callApi(product, 'POST', '/add-redirect', {
    ...redirect,
    pathForwarding: true,
    queryForwarding: true,
  });
}
