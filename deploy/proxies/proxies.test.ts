import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findProgram } from '../../bench/harness/find-program.js';
import { redirectOf } from '../../dataplane/sync/redirect-definition.fixture.js';
import { temporaryFolder } from '../../dataplane/temporary-folder.fixture.js';
import { startTlsDataplane, visit } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { freePort } from '../faults/servers/free-ports.js';
import { isListening } from '../faults/servers/is-listening.js';
import { until } from '../faults/until.js';
import { readProductFile } from '../yaml.fixture.js';

const HOST = 'old.example';
const START_TIMEOUT_MS = 60_000;
const isRequired = processEnvironment().REQUIRE_SERVICES === '1';

interface Ports {
  readonly http: number;
  readonly https: number;
}

interface Proxy {
  readonly program: string;
  readonly versionArgument: string;
  readonly file: string;
  readonly args: (file: string, folder: string) => readonly string[];
  /** Puts ports and folders of this test into the file. */
  readonly adapt: (text: string, ports: Ports, folder: string) => string;
}

const PROXIES: readonly Proxy[] = [
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

for (const proxy of PROXIES) {
  const program = findProgram(proxy.program, proxy.versionArgument);
  it.skipIf(program === undefined && !isRequired)(
    `${proxy.program} in front, set up as in deploy/proxies/${proxy.file}, ends TLS and says so`,
    async () => {
      const folder = await temporaryFolder();
      const authority = createTestAuthority();
      const { certificate, privateKey } = authority.issue([HOST]);
      await mkdir(path.join(folder, 'live', HOST), { recursive: true });
      await mkdir(path.join(folder, 'certs'));
      await writeFile(path.join(folder, 'live', HOST, 'fullchain.pem'), certificate);
      await writeFile(path.join(folder, 'live', HOST, 'privkey.pem'), privateKey);
      await writeFile(path.join(folder, 'certs', 'old.pem'), certificate + privateKey);

      const hsts = { maxAge: 60, includeSubDomains: false, preload: false };
      const dataplane = await startTlsDataplane({ dataDir: folder, trustedProxies: ['127.0.0.1'] });
      dataplane.feed.snapshot(1_700_000_000, 1, [redirectOf(HOST, { httpsMode: 'upgrade', hsts })]);
      const ports = { http: await freePort(), https: await freePort() };
      const text = proxy
        .adapt(readProductFile('deploy/proxies', proxy.file), ports, folder)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${dataplane.port}`)
        .replaceAll('9090', String(dataplane.adminPort));
      const file = path.join(folder, proxy.file);
      await writeFile(file, text);
      await startProxy(program ?? proxy.program, proxy.args(file, folder), ports);

      const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
      const plain = await get(ports.http, forged);
      expect(plain.statusCode).toBe(308);
      expect(plain.headers.location).toBe(`https://${HOST}/a?b`);
      const options = { ca: authority.root };
      const secure = await visit({ port: ports.https, servername: HOST, target: '/a?b', options });
      expect(secure).toMatchObject({
        authorized: true,
        statusCode: 301,
        headers: { location: 'https://destination.example', 'strict-transport-security': 'max-age=60' },
      });
      expect(dataplane.recorder.hits.map(({ address }) => address)).toEqual(['127.0.0.1']);
    },
  );
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
async function get(port: number, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
  let answer: http.IncomingMessage | undefined;
  await expect
    .poll(async () => {
      answer = await getOnce(port, headers);
      return answer.statusCode;
    })
    .not.toBe(503);
  return answer!;
}

function getOnce(port: number, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    http
      .get(
        { host: '127.0.0.1', port, path: '/a?b', agent: false, headers: { host: HOST, ...headers } },
        (answer) => {
          answer.resume();
          resolve(answer);
        },
      )
      .once('error', reject);
  });
}
