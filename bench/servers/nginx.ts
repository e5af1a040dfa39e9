import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { ChildProcesses, LaunchedProcess } from '../harness/child-processes.js';
import { findProgram } from '../harness/find-program.js';
import { findFreePort } from '../harness/free-port.js';
import { benchRedirects, forwardedLocation } from '../traffic/bench-request.js';
import type { RunningServer, ServerKind, ServerSetup } from './server-kind.js';

const START_LIMIT_MS = 10_000;
const STOP_GRACE_MS = 3_000;
const LOOK_AGAIN_MS = 20;

/**
 * nginx as its users write redirects for many domains, in the leanest form: a `map` from host to destination and
 * one `return`, with nothing for unknown hosts, which the load does not ask for.
 */
export const nginx: ServerKind = {
  name: 'nginx',
  unavailable: () => (findProgram('nginx', '-v') === undefined ? 'nginx is not installed' : undefined),
  expectedLocation: forwardedLocation,
  async start(processes: ChildProcesses, cores: string, setup: ServerSetup): Promise<RunningServer> {
    const port = await findFreePort();
    const file = path.join(setup.workFolder, 'nginx.conf');
    await writeFile(file, configuration(port, setup));
    const program = findProgram('nginx', '-v') ?? 'nginx';
    const launched = await processes.launch(program, ['-p', setup.workFolder, '-c', file, '-e', 'stderr'], {
      cores,
    });
    await untilListening(launched, port);
    return {
      pid: launched.pid,
      port,
      async stop() {
        await processes.end(launched, STOP_GRACE_MS);
        return undefined;
      },
    };
  },
};

function configuration(port: number, { hostCount, workFolder }: ServerSetup): string {
  const entries = benchRedirects(hostCount).map(({ host, destination }) => `    ${host} ${destination};`);
  return `daemon off;
worker_processes 1;
pid ${workFolder}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
  tcp_nodelay on;
  keepalive_timeout 60s;
  # The default closes connections after 1,000 requests, which is not what is compared here.
  keepalive_requests 1000000000;
  client_body_temp_path ${workFolder}/body;
  proxy_temp_path ${workFolder}/proxy;
  fastcgi_temp_path ${workFolder}/fastcgi;
  uwsgi_temp_path ${workFolder}/uwsgi;
  scgi_temp_path ${workFolder}/scgi;
  map_hash_max_size ${hostCount * 4};
  map_hash_bucket_size 128;
  map $http_host $destination {
${entries.join('\n')}
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    return 301 $destination$request_uri;
  }
}
`;
}

async function untilListening(launched: LaunchedProcess, port: number): Promise<void> {
  const endsAtMs = Date.now() + START_LIMIT_MS;
  while (!(await canConnect(port))) {
    const hasEnded = launched.child.exitCode !== null;
    if (hasEnded || Date.now() > endsAtMs)
      throw new Error(`nginx did not start; it said:\n${launched.complaints()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
