import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../deploy/faults/servers/free-ports.js';
import { findProgram } from '../harness/find-program.js';
import { benchRedirects, forwardedLocation } from '../traffic/bench-request.js';
import type { ServerKind, ServerSetup } from './server-kind.js';
import { startProgram } from './start-program.js';

/** HAProxy as its users write redirects for many domains: a map file and one `redirect prefix`, no log. */
export const haproxy: ServerKind = {
  name: 'haproxy',
  unavailable: () => (findProgram('haproxy', '-v') === undefined ? 'HAProxy is not installed' : undefined),
  rightLocations: (request) => [forwardedLocation(request)],
  async start(processes, cores, setup) {
    const port = await freePort();
    const file = path.join(setup.workFolder, 'haproxy.cfg');
    await writeFile(mapFile(setup), mapOf(setup));
    await writeFile(file, configuration(port, setup));
    const args = ['-db', '-f', file];
    return startProgram(processes, { program: 'haproxy', args, name: 'HAProxy', port, cores });
  },
};

function mapFile({ workFolder }: ServerSetup): string {
  return path.join(workFolder, 'destinations.map');
}

function mapOf({ redirects: { hostCount } }: ServerSetup): string {
  return benchRedirects(hostCount)
    .map(({ host, destination }) => `${host} ${destination}\n`)
    .join('');
}

function configuration(port: number, setup: ServerSetup): string {
  const tls = setup.certificate ? ` ssl crt ${setup.certificate.bothFile} alpn http/1.1` : '';
  return `global
  nbthread 1
  maxconn 1024
defaults
  mode http
  timeout client 60s
  timeout http-keep-alive 60s
  timeout http-request 10s
frontend redirects
  bind 127.0.0.1:${port} backlog 1024${tls}
  http-request redirect prefix %[req.hdr(host),map_str(${mapFile(setup)})] code 301
`;
}
