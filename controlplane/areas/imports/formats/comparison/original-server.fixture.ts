import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { processEnvironment } from '../../../../../shared/config/process-environment.js';

/** Members of a server's answer that are compared. */
export interface Answer {
  readonly status: number;
  readonly location: string | null;
}

export type Ask = (host: string, target: string) => Promise<Answer>;

interface Server {
  readonly program: string;
  readonly args: (folder: string, file: string) => readonly string[];
  readonly environment?: (folder: string) => NodeJS.ProcessEnv;
  /** Configuration around the text that is imported. */
  readonly configuration: (text: string, port: number, folder: string) => string;
}

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
const APACHE_MODULES = ['mpm_event', 'authz_core', 'alias', 'rewrite', 'dir'];

const SERVERS = {
  nginx: {
    program: 'nginx',
    args: (folder, file) => ['-p', folder, '-c', file, '-e', 'stderr'],
    configuration: (text, port, folder) => `daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr crit;
events { worker_connections 64; }
http {
  access_log off;
  absolute_redirect off;
  server_names_hash_bucket_size 64;
  ${TEMPORARY.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${text.replaceAll('listen 80;', `listen 127.0.0.1:${port};`)}
}
`,
  },
  apache: {
    program: 'apache2',
    args: (folder, file) => ['-d', folder, '-f', file, '-D', 'FOREGROUND'],
    configuration: (text, port, folder) => `${APACHE_MODULES.map(
      (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
    ).join('\n')}
ServerName localhost
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
LogLevel crit
Listen 127.0.0.1:${port}
UseCanonicalName Off
DocumentRoot ${folder}
<Directory ${folder}>
Options FollowSymLinks
${text}
</Directory>
`,
  },
  caddy: {
    program: 'caddy',
    args: (_, file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    environment: (folder) => ({ HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }),
    configuration: (text, port) => `{
	admin off
	auto_https off
	http_port ${port}
	log {
		level ERROR
	}
}
${text}
`,
  },
} satisfies Readonly<Record<string, Server>>;

export type ServerName = keyof typeof SERVERS;

/** Returns the path of a server's program. Distributions install servers outside the search path of ordinary users. */
function programOf(name: ServerName): string | undefined {
  const { program } = SERVERS[name];
  return [program, `/usr/sbin/${program}`].find((file) => spawnSync(file, ['-v']).error === undefined);
}

export function isInstalled(name: ServerName): boolean {
  return programOf(name) !== undefined;
}

/** Starts a server with the directives of a text for one test. */
export async function startOriginal(name: ServerName, text: string): Promise<Ask> {
  const server: Server = SERVERS[name];
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-original-'));
  const port = await freePort();
  const file = path.join(folder, 'server.conf');
  await writeFile(file, server.configuration(text, port, folder));
  const child = spawn(programOf(name) ?? server.program, server.args(folder, file), {
    stdio: 'inherit',
    env: { ...processEnvironment(), ...server.environment?.(folder) },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  onTestFinished(async () => {
    agent.destroy();
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  const ask: Ask = (host, target) => get(agent, port, host, target);
  await vi.waitFor(() => ask('localhost', '/'), { timeout: 30_000, interval: 50 });
  return ask;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function get(agent: http.Agent, port: number, host: string, target: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent, host: '127.0.0.1', port, path: target, headers: { host } };
    http
      .get(options, (response) => {
        response.resume();
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? null }),
        );
      })
      .once('error', reject);
  });
}
