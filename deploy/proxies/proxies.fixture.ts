import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startTlsDataplane, type TlsDataplaneOptions } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { freePort } from '../faults/servers/free-ports.js';
import { isListening } from '../faults/servers/is-listening.js';
import { until } from '../faults/until.js';
import { readProductFile } from '../yaml.fixture.js';

const START_TIMEOUT_MS = 240_000;

export interface Ports {
  readonly http: number;
  readonly https: number;
}

export interface Proxy {
  readonly program: string;
  readonly versionArgument: string;
  readonly file: string;
  readonly args: (file: string, folder: string) => readonly string[];
  /** Puts ports and folders of this test into the file. */
  readonly adapt: (text: string, ports: Ports, folder: string) => string;
}

export const PROXIES: readonly Proxy[] = [
  {
    program: 'nginx',
    versionArgument: '-v',
    file: 'nginx.conf',
    args: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
    adapt: (text, ports, folder) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr;\n${text}`
        .replace('http {', `http {\n${temporary.join('\n')}`)
        .replace('listen 80 ', `listen 127.0.0.1:${ports.http} `)
        .replace('listen 443 ', `listen 127.0.0.1:${ports.https} `)
        .replaceAll('/etc/letsencrypt/live', `${folder}/live`);
    },
  },
  {
    program: 'haproxy',
    versionArgument: '-v',
    file: 'haproxy.cfg',
    args: (file) => ['-db', '-f', file],
    adapt: (text, ports, folder) =>
      text
        .replace('bind :80', `bind 127.0.0.1:${ports.http}`)
        .replace('bind :443', `bind 127.0.0.1:${ports.https}`)
        .replace('/etc/haproxy/certs/', `${folder}/certs/`),
  },
];

/** Starts a data plane and a proxy in front of it, set up as its file says, until the test ends. */
export async function startBehind(
  proxy: Proxy,
  program: string,
  host: string,
  options: TlsDataplaneOptions,
  edit: (text: string) => string = (text) => text,
) {
  const folder = options.dataDir;
  const authority = createTestAuthority();
  const { certificate, privateKey } = authority.issue([host]);
  await mkdir(path.join(folder, 'live', host), { recursive: true });
  await mkdir(path.join(folder, 'certs'));
  await writeFile(path.join(folder, 'live', host, 'fullchain.pem'), certificate);
  await writeFile(path.join(folder, 'live', host, 'privkey.pem'), privateKey);
  await writeFile(path.join(folder, 'certs', 'old.pem'), certificate + privateKey);
  const dataplane = await startTlsDataplane({ trustedProxies: ['127.0.0.1'], ...options });
  const ports = { http: await freePort(), https: await freePort() };
  const text = proxy
    .adapt(edit(readProductFile('deploy/proxies', proxy.file)), ports, folder)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${dataplane.port}`)
    .replaceAll('9090', String(dataplane.adminPort));
  const file = path.join(folder, proxy.file);
  await writeFile(file, text);
  await startProxy(program, proxy.args(file, folder), ports);
  return { dataplane, ports, authority };
}

async function startProxy(program: string, args: readonly string[], ports: Ports): Promise<void> {
  const child: ChildProcess = spawn(program, args, { stdio: 'inherit' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await until(async () => (await isListening(ports.http)) && (await isListening(ports.https)), {
    timeoutMs: START_TIMEOUT_MS,
  });
}

/** Retries while HAProxy has not yet seen that Waymark is ready. */
export async function get(port: number, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
  let answer: http.IncomingMessage | undefined;
  await expect
    .poll(async () => {
      answer = await getOnce(port, headers);
      return answer.statusCode;
    })
    .not.toBe(503);
  return answer!;
}

/** Visits `/a?b` once on a new connection. */
export function getOnce(port: number, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/a?b', agent: false, headers: { ...headers } }, (answer) => {
        answer.resume();
        resolve(answer);
      })
      .once('error', reject);
  });
}
