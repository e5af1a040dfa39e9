import { isListening } from '../../deploy/faults/servers/is-listening.js';
import { until } from '../../deploy/faults/until.js';
import type { ChildProcesses, LaunchedProcess } from '../harness/child-processes.js';
import { findProgram } from '../harness/find-program.js';
import type { RunningServer } from './server-kind.js';

const START_LIMIT_MS = 10_000;
const LOOK_AGAIN_MS = 5;
const STOP_GRACE_MS = 3_000;

/** Waits until a server without a start message accepts connections. @throws when it ends or takes too long */
async function untilListening(launched: LaunchedProcess, port: number, name: string): Promise<void> {
  const isSettled = async () => launched.hasEnded() || isListening(port);
  await until(isSettled, { timeoutMs: START_LIMIT_MS, intervalMs: LOOK_AGAIN_MS }).catch(() => undefined);
  if (launched.hasEnded() || !(await isListening(port)))
    throw new Error(`${name} did not start; it said:\n${launched.complaints()}`);
}

interface Program {
  readonly program: string;
  readonly args: readonly string[];
  /** Name for people. */
  readonly name: string;
  /** Port in its configuration. */
  readonly port: number;
  readonly cores: string;
}

/** Starts an installed server, and waits until it accepts connections. */
export async function startProgram(
  processes: ChildProcesses,
  { program, args, name, port, cores }: Program,
): Promise<RunningServer> {
  const found = findProgram(program, '-v') ?? program;
  const startedAtMs = performance.now();
  const launched = await processes.launch(found, args, { cores });
  await untilListening(launched, port, name);
  return {
    pid: launched.pid,
    port,
    startSeconds: (performance.now() - startedAtMs) / 1000,
    async stop() {
      await processes.end(launched, STOP_GRACE_MS);
      return undefined;
    },
  };
}
