import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../deploy/faults/servers/free-ports.js';
import { findProgram } from '../harness/find-program.js';
import { benchRedirects, forwardedLocation } from '../traffic/bench-request.js';
import type { ServerKind, ServerSetup } from './server-kind.js';
import { startProgram } from './start-program.js';

/**
 * nginx in the leanest configuration that its users write for many domains: a `map` from host to destination and one
 * `return`. It has no rule for unknown hosts, because the load requests none.
 */
export const nginx: ServerKind = {
  name: 'nginx',
  unavailable: () => (findProgram('nginx', '-v') === undefined ? 'nginx is not installed' : undefined),
  rightLocations: (request) => [forwardedLocation(request)],
  async start(processes, cores, setup) {
    const port = await freePort();
    const file = path.join(setup.workFolder, 'nginx.conf');
    await writeFile(file, configuration(port, setup));
    const args = ['-p', setup.workFolder, '-c', file, '-e', 'stderr'];
    return startProgram(processes, { program: 'nginx', args, name: 'nginx', port, cores });
  },
};

function configuration(
  port: number,
  { redirects: { hostCount }, workFolder, certificate }: ServerSetup,
): string {
  // Session tickets are on by default.
  const tls =
    certificate &&
    `ssl_certificate ${certificate.certificateFile};
    ssl_certificate_key ${certificate.keyFile};
    ssl_protocols TLSv1.2 TLSv1.3;`;
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
    listen 127.0.0.1:${port}${certificate ? ' ssl' : ''} backlog=1024;
    ${tls ?? ''}
    return 301 $destination$request_uri;
  }
}
`;
}
