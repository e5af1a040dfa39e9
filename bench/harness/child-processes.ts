import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from './find-program.js';

const STDERR_LINES_KEPT = 20;

export interface LaunchOptions {
  /** Processor cores it may run on; all when absent or when the system cannot pin. */
  readonly cores?: string | undefined;
  /**
   * Schedules the process with `SCHED_BATCH` (sched(7)): when woken, it waits for a free core instead of interrupting
   * another process. Ignored where the system has no such policy.
   */
  readonly isBatch?: boolean;
  /** Nice value (nice(1)). Default: that of this process. */
  readonly niceness?: number;
  /** Whether it gets a channel for `process.send`. The child must exit when the channel closes. */
  readonly channel?: boolean;
  /** Its environment. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A process that the benchmark runs. */
export interface LaunchedProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Returns the standard output so far. */
  output(): string;
  /** The last lines of its standard error, for messages. */
  complaints(): string;
  /** Resolves to the exit code when the process has ended; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Whether it has ended, by exit or by a signal. */
  hasEnded(): boolean;
}

/** Starts processes and guarantees their end: none outlives the benchmark, however the benchmark ends. */
export interface ChildProcesses {
  /** @throws when the program cannot be started */
  launch(command: string, args: readonly string[], options?: LaunchOptions): Promise<LaunchedProcess>;
  /** Sends SIGTERM to a process. After `graceMs`, kills it and its descendants. Resolves when it has ended. */
  end(launched: LaunchedProcess, graceMs: number): Promise<void>;
  /** Kills all running processes immediately. */
  killAll(): void;
}

export function createChildProcesses({ canPin }: { readonly canPin: boolean }): ChildProcesses {
  const running = new Set<LaunchedProcess>();
  const chrt = findProgram('chrt', '--version');

  /** Returns the command prefix that places a program on cores and sets its scheduling. */
  function placing({ cores, isBatch = false, niceness }: LaunchOptions): string[] {
    return [
      ...(canPin && cores !== undefined ? ['taskset', '-c', cores] : []),
      ...(isBatch && chrt !== undefined ? [chrt, '--batch', '0'] : []),
      ...(niceness === undefined ? [] : ['nice', '-n', String(niceness)]),
    ];
  }

  async function launch(
    command: string,
    args: readonly string[],
    options: LaunchOptions = {},
  ): Promise<LaunchedProcess> {
    const [program = command, ...programArgs] = [...placing(options), command, ...args];
    const spawnOptions: SpawnOptions = {
      // A separate process group: one signal reaches the process and its descendants.
      detached: true,
      ...(options.environment === undefined ? {} : { env: { ...options.environment } }),
      ...(options.channel ? { serialization: 'advanced' } : {}),
      stdio: options.channel ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    };
    const child = spawn(program, programArgs, spawnOptions);
    const launched = observe(child, await startedPid(child, command));
    running.add(launched);
    void launched.ended.then(() => running.delete(launched));
    return launched;
  }

  async function end(launched: LaunchedProcess, graceMs: number): Promise<void> {
    if (!running.has(launched)) return;
    const timer = setTimeout(() => killGroup(launched.pid), graceMs);
    launched.child.kill('SIGTERM');
    await launched.ended;
    clearTimeout(timer);
  }

  return {
    launch,
    end,
    killAll() {
      for (const { pid } of running) killGroup(pid);
    },
  };
}

async function startedPid(child: ChildProcess, command: string): Promise<number> {
  await once(child, 'spawn').catch((error: unknown) => {
    throw new Error(`${command} could not be started`, { cause: error });
  });
  if (child.pid === undefined) throw new Error(`${command} could not be started`);
  return child.pid;
}

function observe(child: ChildProcess, pid: number): LaunchedProcess {
  let output = '';
  let complaints = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk}`.split('\n').slice(-STDERR_LINES_KEPT).join('\n');
  });
  // `close`, not `exit`: only then all output has been read.
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return { pid, child, output: () => output, complaints: () => complaints, ended, hasEnded };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes of the group have already ended.
  }
}
