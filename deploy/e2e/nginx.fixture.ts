import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../faults/servers/free-ports.js';
import { isListening } from '../faults/servers/is-listening.js';
import { until } from '../faults/until.js';

const START_TIMEOUT_MS = 60_000;
/** Distributions put it where the search path of ordinary users does not lead. */
const PROGRAM = ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).error === undefined);

export const isNginxInstalled = PROGRAM !== undefined;

/**
 * Starts nginx for one test, listening on the loopback.
 *
 * @param location nginx directives for every request
 * @returns its address
 */
export async function startNginx(location: string): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, location));
  const nginx = spawn(PROGRAM ?? 'nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'inherit' });
  const exited = new Promise((resolve) => nginx.once('exit', resolve));
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  await until(() => isListening(port), { timeoutMs: START_TIMEOUT_MS });
  return `http://127.0.0.1:${port}`;
}

function configuration(folder: string, port: number, location: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n  ');
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 64; }
http {
  access_log off;
  ${temporary}
  server {
    listen 127.0.0.1:${port};
    location / {
      ${location}
    }
  }
}
`;
}
