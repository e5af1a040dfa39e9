import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A Redis server of its own, without persistence, on a port that it keeps over restarts. */
export interface RedisServer {
  readonly url: string;
  /** As `kill -9` does it. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again, empty. Resolves when it serves. */
  restart(): Promise<void>;
  /** Lets connections stand without an answer, until `resume`. */
  pause(): void;
  resume(): void;
  remove(): Promise<void>;
}

/** Clients must use TLS and a password. Files in PEM, of `localhost`. */
export interface RedisSecurity {
  readonly authority: string;
  readonly key: string;
  readonly certificate: string;
  readonly password: string;
}

const START_TIMEOUT_MS = 60_000;

/** @throws when `redis-server` is missing or does not start */
export async function startRedisServer(security?: RedisSecurity): Promise<RedisServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-redis-'));
  const port = await freePort();
  const options = security === undefined ? ['--port', String(port)] : secureOptions(security, port);
  let server = await serve(folder, port, options);
  const killAtExit = () => server.kill('SIGKILL');
  process.once('exit', killAtExit);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  return {
    url:
      security === undefined
        ? `redis://127.0.0.1:${port}`
        : `rediss://:${security.password}@localhost:${port}`,
    kill,
    async restart() {
      await kill();
      server = await serve(folder, port, options);
    },
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    async remove() {
      await kill();
      process.off('exit', killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function secureOptions({ authority, key, certificate, password }: RedisSecurity, port: number): string[] {
  const files = ['--tls-ca-cert-file', authority, '--tls-key-file', key, '--tls-cert-file', certificate];
  const login = ['--tls-auth-clients', 'no', '--requirepass', password];
  return ['--port', '0', '--tls-port', String(port), ...files, ...login];
}

async function serve(folder: string, port: number, options: readonly string[]): Promise<ChildProcess> {
  const common = ['--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn('redis-server', [...options, ...common], { stdio: 'ignore' });
  let failure: Error | undefined;
  server.once('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (failure !== undefined) throw failure;
    if (server.exitCode !== null) throw new Error('redis-server ended while it started');
    if (Date.now() > deadline) {
      server.kill('SIGKILL');
      throw new Error('redis-server did not start in time');
    }
    await delay(20);
  }
  return server;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
