import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { until } from '../until.js';

export interface ServerPlan {
  /** Name of the server for messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the server. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Its output is appended to this file. */
  readonly logFile: string;
  isUp(): Promise<boolean>;
}

/** A server in its own process group, which can be ended in every way and started again. */
export interface ServerProcess {
  readonly name: string;
  /**
   * @param isUp returns whether the server has started
   * @throws with the end of its log when it does not start
   */
  start(isUp?: () => Promise<boolean>): Promise<void>;
  /** Kills all processes of the server with SIGKILL. Resolves when they are gone. */
  kill(): Promise<void>;
  /** Ends it by SIGTERM. Resolves to the exit code; null when it had to be killed. */
  terminate(): Promise<number | null>;
  /** Stops it by SIGSTOP until `resume`: connections stay open, nothing is answered. */
  pause(): void;
  resume(): void;
}

const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 15_000;
const LOG_TAIL_LINES = 15;

const running = new Set<ChildProcess>();
// The servers end with this process, after an error or Ctrl-C too.
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

export function createServerProcess(plan: ServerPlan): ServerProcess {
  let child: ChildProcess | undefined;
  let exited: Promise<number | null> = Promise.resolve(null);

  function launch(): ChildProcess {
    const log = openSync(plan.logFile, 'a');
    const launched = spawn(plan.command, plan.args, {
      cwd: plan.cwd,
      env: plan.environment,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    running.add(launched);
    launched.once('error', () => running.delete(launched));
    exited = once(launched, 'exit').then(([code]) => {
      running.delete(launched);
      return code as number | null;
    });
    exited.catch(() => {}); // a command that cannot run is noticed because the server does not start
    return launched;
  }

  async function kill(): Promise<void> {
    if (child === undefined) return;
    signalGroup(child, 'SIGKILL');
    await exited.catch(() => null);
    child = undefined;
  }

  return {
    name: plan.name,
    async start(isUp = plan.isUp) {
      await kill();
      const launched = launch();
      child = launched;
      const isEnded = () =>
        launched.exitCode !== null || launched.signalCode !== null || !running.has(launched);
      await until(async () => isEnded() || (await isUp()), { timeoutMs: START_TIMEOUT_MS }).catch(
        () => undefined,
      );
      if (isEnded() || !(await isUp()))
        throw new Error(`${plan.name} did not start; it said:\n${tailOf(plan)}`);
    },
    kill,
    async terminate() {
      if (child === undefined) return null;
      const timer = setTimeout(kill, END_TIMEOUT_MS);
      child.kill('SIGTERM');
      const code = await exited.catch(() => null);
      clearTimeout(timer);
      child = undefined;
      return code;
    },
    pause: () => child && signalGroup(child, 'SIGSTOP'),
    resume: () => child && signalGroup(child, 'SIGCONT'),
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of its processes are gone.
  }
}

function tailOf({ logFile }: ServerPlan): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}
