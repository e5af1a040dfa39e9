import { spawnSync } from 'node:child_process';

/** Cores for the measured servers and for everything else, in the syntax of taskset(1). */
export interface ProcessorCores {
  /** Whether processes can be held to cores here. */
  readonly canPin: boolean;
  /** One core, for the server that is measured. */
  readonly server: string;
  /** The other cores, for the load generator and the benchmark itself. */
  readonly load: string;
}

/** Shares out the cores that this process may use, and moves this process off the server's core. */
export function shareOutCores(): ProcessorCores {
  const allowed = allowedCores();
  const [server, ...others] = allowed;
  if (server === undefined || others.length === 0) return { canPin: false, server: '', load: '' };
  const cores = { canPin: true, server: String(server), load: others.join(',') };
  moveTo(cores.load);
  return cores;
}

/** Lets this process, and child processes started without explicit cores, run on all cores during `work`. */
export async function onAllCores<T>(
  { canPin, server, load }: ProcessorCores,
  work: () => Promise<T>,
): Promise<T> {
  if (!canPin) return work();
  moveTo(`${server},${load}`);
  try {
    return await work();
  } finally {
    moveTo(load);
  }
}

function moveTo(cores: string): void {
  // -a: V8's own threads too.
  spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)], { stdio: 'ignore' });
}

function allowedCores(): number[] {
  const { status, stdout } = spawnSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
  // `pid 42's current affinity list: 0-3,6`
  return status === 0 ? parseCoreList(stdout.slice(stdout.lastIndexOf(':') + 1)) : [];
}

/** Reads a list such as `0-3,6`. */
export function parseCoreList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}
