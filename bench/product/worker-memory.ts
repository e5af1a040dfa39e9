import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { coldFormOf } from '../../dataplane/sync/cold/cold-redirects.js';
import { createDiskSnapshot } from '../../dataplane/sync/disk-snapshot.js';
import { until } from '../../deploy/faults/until.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import {
  type ChildProcesses,
  createChildProcesses,
  type LaunchedProcess,
} from '../harness/child-processes.js';
import { readProcesses } from '../measure/process-list.js';
import { createWorkload } from '../rules/rule-workload.js';
import { ask } from '../traffic/ask.js';
import { type BenchRequest, benchRedirects, benchRequests } from '../traffic/bench-request.js';

const ENTRY = fileURLToPath(new URL('../../deploy/roles/dataplane.js', import.meta.url));
const NOBODY = '127.0.0.1:1';
const HOSTS = 10_000;
const RULES = 10;
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
/** The kernel distributes connections to the workers. With this many per worker, almost every worker gets one. */
const CONNECTIONS_PER_WORKER = 12;
/** Garbage of the load is collected by then, or is memory that the process keeps. */
const CALM_MS = 3_000;

interface MemoryUse {
  readonly role: 'supervisor' | 'worker';
  readonly residentMib: number;
  /** Memory pages of this process only, which is the cost of one more such process. */
  readonly privateMib: number;
}

/**
 * Prints the memory of a data plane's processes: after a start without a ruleset, after a start with 10,000 hosts of 10
 * rules each, and after every worker has answered for every host, when all are compiled. The data plane runs from its
 * snapshot on disk, without any server.
 *
 * `node dist/bench/product/worker-memory.js [WORKERS…]`, on Linux. Default: 1 and 2 workers.
 */
async function main(counts: readonly number[]): Promise<void> {
  const processes = createChildProcesses({ canPin: false });
  process.once('exit', () => processes.killAll());
  for (const workers of counts) {
    await measure(processes, workers, 0);
    await measure(processes, workers, HOSTS);
  }
}

async function measure(processes: ChildProcesses, workers: number, hosts: number): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-memory-'));
  try {
    const redirects = coldFormOf(definitions(hosts)).capture();
    await createDiskSnapshot({ dataDir, nowMs: Date.now }).save({ version: { epoch: 1, seq: 1 }, redirects });
    const launched = await launch(processes, dataDir, workers);
    const port = await untilRunning(launched);
    await delay(CALM_MS);
    await print(`${workers} workers, ${hosts} hosts, started`, launched.pid);
    if (hosts > 0) {
      await askEveryHost(port, workers);
      await delay(CALM_MS);
      await print(`${workers} workers, ${hosts} hosts × ${RULES} rules, all asked for`, launched.pid);
    }
    await processes.end(launched, STOP_LIMIT_MS);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function definitions(hosts: number): RedirectDefinition[] {
  return benchRedirects(hosts).map((redirect) => ({
    ...redirect,
    redirectType: 'permanent',
    pathForwarding: true,
    queryForwarding: true,
    samplingRate: 0,
    rules: createWorkload('mixed', RULES).rules,
  }));
}

function launch(processes: ChildProcesses, dataDir: string, workers: number): Promise<LaunchedProcess> {
  return processes.launch(process.execPath, [ENTRY], {
    environment: {
      ...processEnvironment(),
      REDIS_URL: `redis://${NOBODY}`,
      KAFKA_BROKERS: NOBODY,
      SECRET_KEY: 'of a benchmark, and of nobody else',
      DATA_DIR: dataDir,
      REDIRECT_WORKERS: String(workers),
      REDIRECT_HOST: '127.0.0.1',
      REDIRECT_PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'fatal',
    },
  });
}

/** @returns the visitors' port */
async function untilRunning(launched: LaunchedProcess): Promise<number> {
  const port = () => /Redirects +http:\/\/[^:]+:(\d+)/.exec(launched.output())?.[1];
  const isSettled = () => launched.hasEnded() || port() !== undefined;
  await until(isSettled, { timeoutMs: START_LIMIT_MS }).catch(() => undefined);
  if (port() === undefined) throw new Error(`the data plane did not start:\n${launched.complaints()}`);
  return Number(port());
}

/** Requests every host on every connection. The connections are distributed over the workers. */
async function askEveryHost(port: number, workers: number): Promise<void> {
  const requests = benchRequests(HOSTS);
  const visitors = Array.from({ length: CONNECTIONS_PER_WORKER * workers }, () => visit(port, requests));
  await Promise.all(visitors);
}

async function visit(port: number, requests: readonly BenchRequest[]): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (const request of requests) {
    const { status } = await ask(agent, port, request);
    if (status !== 301 && status !== 302) throw new Error(`${request.host} was answered with ${status}`);
  }
  agent.destroy();
}

async function print(what: string, supervisorPid: number): Promise<void> {
  const workers = (await readProcesses()).filter(({ parentPid }) => parentPid === supervisorPid);
  const uses = [
    await readUse('supervisor', supervisorPid),
    ...(await Promise.all(workers.map(({ pid }) => readUse('worker', pid)))),
  ];
  const texts = uses.map(
    ({ role, residentMib, privateMib }) =>
      `${role} ${residentMib.toFixed(0)} MiB resident, ${privateMib.toFixed(0)} private`,
  );
  process.stdout.write(`${what}: ${texts.join('; ')}\n`);
}

/** Reads `/proc/PID/smaps_rollup`; see proc(5). */
async function readUse(role: MemoryUse['role'], pid: number): Promise<MemoryUse> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
  return { role, residentMib: mib('Rss'), privateMib: mib('Private_Clean') + mib('Private_Dirty') };
}

const counts = process.argv.slice(2).map(Number);
await main(counts.length > 0 ? counts : [1, 2]);
