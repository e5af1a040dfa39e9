import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process that answers every request with 200. Its latency shows how busy the machine is. */
export interface PlainServer {
  readonly port: number;
  end(): void;
}

const SOURCE = `
  const server = require('node:http').createServer((request, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

export async function startPlainServer(): Promise<PlainServer> {
  const child = spawn(process.execPath, ['-e', SOURCE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return { port: Number(String(port)), end: () => void child.kill('SIGKILL') };
}

/** Factor for the delay of the plain server in a limit: the product does more for each request. */
const DELAYS = 10;

/** Returns a limit in ms: the limit on a quiet machine plus the current delay of this machine. */
export const limitMs = (quietMs: number, plainServerMs: number): number => quietMs + DELAYS * plainServerMs;
