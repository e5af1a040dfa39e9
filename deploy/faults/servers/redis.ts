import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './free-ports.js';
import type { ServerFolder } from './server-folder.js';
import { createServerProcess, type ServerProcess } from './server-process.js';

export interface RedisServer {
  readonly server: ServerProcess;
  readonly port: number;
  readonly url: string;
  /** Runs a command whose arguments have no spaces. Resolves to the raw answer. */
  ask(command: string): Promise<string>;
  /** Deletes all data. */
  flush(): Promise<void>;
  /** Current and peak memory of its data, as Redis counts it. */
  memory(): Promise<{ readonly usedBytes: number; readonly peakBytes: number }>;
}

const ANSWER_TIMEOUT_MS = 2_000;

/** Creates a Redis server without starting it. It has no persistence, so it is empty after a restart. */
export async function createRedis(folder: ServerFolder): Promise<RedisServer> {
  const port = await freePort();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    ask: (command) => ask(port, command),
    flush: async () => {
      const answer = await ask(port, 'FLUSHALL');
      if (answer !== '+OK\r\n') throw new Error(`Redis did not forget: ${answer}`);
    },
    memory: async () => {
      const answer = await ask(port, 'INFO memory');
      const bytes = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(answer)?.[1]);
      return { usedBytes: bytes('used_memory'), peakBytes: bytes('used_memory_peak') };
    },
    server: createServerProcess({
      name: 'Redis',
      command: 'redis-server',
      args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder.root],
      environment: folder.environment,
      cwd: folder.root,
      logFile: folder.path('redis.log'),
      isUp: async () => (await ask(port, 'PING')) === '+PONG\r\n',
    }),
  };
}

/**
 * Runs one command in Redis's inline form.
 *
 * @returns the first part of the raw answer
 */
async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(`${command}\r\n`);
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return String(answer);
  } finally {
    socket.destroy();
  }
}
