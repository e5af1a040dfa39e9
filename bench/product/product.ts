import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../shared/config/process-environment.js';
import type { ChildProcesses, LaunchedProcess } from '../harness/child-processes.js';
import type { ProcessorCores } from '../harness/processor-cores.js';

const ENTRY = fileURLToPath(new URL('../../deploy/standalone/main.js', import.meta.url));
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
const CALL_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/** The whole product in one command, as a new user runs it. */
export interface Product {
  readonly apiAddress: string;
  readonly redirectPort: number;
  /** Shown by the first start in a data directory only. */
  readonly token: string | undefined;
  stop(): Promise<void>;
}

export interface ProductOptions {
  readonly processes: ChildProcesses;
  readonly cores: ProcessorCores;
  readonly dataDir: string;
}

/** Starts it on free ports of the loopback and waits until it says that it runs. */
export async function startProduct({ processes, cores, dataDir }: ProductOptions): Promise<Product> {
  const launched = await processes.launch(process.execPath, [ENTRY], {
    // All of them: it shares its machine out among its parts by itself.
    cores: `${cores.server},${cores.load}`,
    environment: {
      ...processEnvironment(),
      DATA_DIR: dataDir,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      REDIRECT_HOST: '127.0.0.1',
      REDIRECT_PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'warn',
      DEFAULT_PLAN: 'business',
      RATE_LIMIT_MULTIPLIER: '1000',
    },
  });
  await untilRunning(launched);
  const printed = (label: string) =>
    new RegExp(`^ *${label} +(\\S+)`, 'm').exec(launched.output())?.[1] ?? '';
  const token = printed('Access token');
  return {
    apiAddress: printed('API'),
    redirectPort: Number(new URL(printed('Redirects')).port),
    token: token.startsWith('wm_') ? token : undefined,
    stop: () => processes.end(launched, STOP_LIMIT_MS),
  };
}

async function untilRunning(launched: LaunchedProcess): Promise<void> {
  const endsAtMs = Date.now() + START_LIMIT_MS;
  while (!launched.output().includes('Waymark is running')) {
    if (launched.child.exitCode !== null || Date.now() > endsAtMs) {
      throw new Error(`the product did not start; it said:\n${launched.complaints()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Calls the product's API; with the body of the answer. @throws when it is an error */
export async function callApi<T>(
  product: Product,
  token: string,
  method: 'GET' | 'POST',
  url: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(product.apiAddress + url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${answer}`);
  return JSON.parse(answer) as T;
}
