import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import { processEnvironment } from '../../../shared/config/process-environment.js';

/** Folder of pebble and pebble-challtestsrv; `deploy/services/with-pebble.sh` sets it. */
export const PEBBLE_BIN = processEnvironment().PEBBLE_BIN;

const START_TIMEOUT_MS = 240_000;

export interface PebbleOptions {
  /** Where it validates hosts by HTTP. */
  readonly httpPort: number;
  /** `127.0.0.1:port` of the name server that it asks. */
  readonly dnsServer: string;
  /** Share of good nonces that it refuses, in percent. Default: 5. */
  readonly nonceReject?: number;
  readonly domainBlocklist?: readonly string[];
  /** Lifetime of certificates in seconds. Default: 90 days. */
  readonly validitySeconds?: number;
  readonly eabKeys?: Readonly<Record<string, string>>;
  /** A port that an earlier one had. Default: a free one. */
  readonly port?: number;
}

/** A running test authority (https://github.com/letsencrypt/pebble). It forgets everything when it ends. */
export interface Pebble {
  readonly directoryUrl: string;
  readonly port: number;
  /** PEM file of the root that its own HTTPS certificate was signed with. */
  readonly caFile: string;
  /** PEM of the root of the certificates that it issues. */
  root(): Promise<string>;
  /** Sets the renewal window of a certificate. */
  setRenewalWindow(certificate: string, start: Date, end: Date): Promise<void>;
  /** Holds all requests until `resume`. */
  pause(): void;
  resume(): void;
  end(): Promise<void>;
}

// One authority signs the HTTPS certificates of all Pebble servers, so one CA file is enough.
const httpsAuthority = createTestAuthority('pebble HTTPS');

export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-pebble-'));
  const [freePort = 0, managementPort = 0] = await freePorts(2);
  const port = options.port ?? freePort;
  const { certificate, privateKey } = httpsAuthority.issue(['localhost']);
  const file = (name: string) => path.join(folder, name);
  await writeFile(file('cert.pem'), certificate);
  await writeFile(file('key.pem'), privateKey);
  await writeFile(file('root.pem'), httpsAuthority.root);
  const pebble = {
    ...{ listenAddress: `127.0.0.1:${port}`, managementListenAddress: `127.0.0.1:${managementPort}` },
    ...{ certificate: file('cert.pem'), privateKey: file('key.pem') },
    ...{ httpPort: options.httpPort, tlsPort: 1, ocspResponderURL: '' },
    externalAccountBindingRequired: options.eabKeys !== undefined,
    externalAccountMACKeys: options.eabKeys ?? {},
    domainBlocklist: options.domainBlocklist ?? [],
    ...{ retryAfter: { authz: 1, order: 1 }, keyAlgorithm: 'ecdsa' },
    profiles: { default: { description: 'test', validityPeriod: options.validitySeconds ?? 7_776_000 } },
  };
  await writeFile(file('config.json'), JSON.stringify({ pebble }));
  const child = spawn(
    path.join(PEBBLE_BIN ?? '', 'pebble'),
    ['-config', file('config.json'), '-dnsserver', options.dnsServer],
    {
      stdio: 'ignore',
      env: {
        PEBBLE_VA_NOSLEEP: '1',
        PEBBLE_AUTHZREUSE: '0',
        PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 5),
      },
    },
  );
  await untilListening(child, port);
  await untilListening(child, managementPort);
  const management = (method: string, at: string, body?: object) =>
    send(method, `https://localhost:${managementPort}${at}`, httpsAuthority.root, body);

  return {
    directoryUrl: `https://localhost:${port}/dir`,
    port,
    caFile: file('root.pem'),
    root: () => management('GET', '/roots/0'),
    async setRenewalWindow(of, start, end) {
      const suggestedWindow = { start: start.toISOString(), end: end.toISOString() };
      await management('POST', '/set-renewal-info/', {
        Certificate: of,
        ARIResponse: JSON.stringify({ suggestedWindow }),
      });
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async end() {
      await endChild(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A name server whose records a test sets. Names without records point to 127.0.0.1. */
export interface ChallengeDns {
  readonly address: string;
  setA(host: string, addresses: readonly string[]): Promise<void>;
  setCaa(host: string, issuers: readonly string[]): Promise<void>;
  clearCaa(host: string): Promise<void>;
  end(): Promise<void>;
}

export async function startChallengeDns(): Promise<ChallengeDns> {
  const [dnsPort = 0, managementPort = 0] = await freePorts(2);
  const child = spawn(
    path.join(PEBBLE_BIN ?? '', 'pebble-challtestsrv'),
    [
      ...['-dnsserver', `127.0.0.1:${dnsPort}`, '-management', `127.0.0.1:${managementPort}`],
      ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', '', '-defaultIPv6', ''],
    ],
    { stdio: 'ignore' },
  );
  await untilListening(child, managementPort);
  async function manage(action: string, body: object): Promise<void> {
    await fetch(`http://127.0.0.1:${managementPort}/${action}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
  }
  return {
    address: `127.0.0.1:${dnsPort}`,
    async setA(host, addresses) {
      await manage('clear-a', { host });
      await manage('add-a', { host, addresses });
    },
    setCaa: (host, issuers) =>
      manage('add-caa', { host, policies: issuers.map((value) => ({ tag: 'issue', value })) }),
    clearCaa: (host) => manage('clear-caa', { host }),
    end: () => endChild(child),
  };
}

/** Answers challenges as a data plane does. */
export interface ChallengeListener {
  readonly port: number;
  thumbprint: string;
  /** Validations so far, by host. */
  readonly validated: Map<string, number>;
  /** Holds all answers until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

export async function startChallengeListener(): Promise<ChallengeListener> {
  const validated = new Map<string, number>();
  let held: Promise<void> | undefined;
  const server: Server = createServer(async (incoming, outgoing) => {
    const host = (incoming.headers.host ?? '').replace(/:\d+$/, '');
    validated.set(host, (validated.get(host) ?? 0) + 1);
    const token = incoming.url?.replace('/.well-known/acme-challenge/', '') ?? '';
    await held;
    outgoing.end(`${token}.${listener.thumbprint}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const listener: ChallengeListener = {
    port: (server.address() as AddressInfo).port,
    thumbprint: '',
    validated,
    hold() {
      const { promise, resolve } = promiseWithResolvers();
      held = promise;
      return resolve;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return listener;
}

function promiseWithResolvers() {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createTcpServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  for (const endMs = Date.now() + START_TIMEOUT_MS; Date.now() < endMs; await sleep(20)) {
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}`);
    if (await accepts(port)) return;
  }
  child.kill('SIGKILL');
  throw new Error('the process does not listen');
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function send(method: string, url: string, ca: string, body: object | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'waymark-test' };
    const outgoing = request(url, { method, headers, agent: new Agent({ ca }) }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (part: string) => {
        text += part;
      });
      incoming.on('end', () =>
        incoming.statusCode === 200 ? resolve(text) : reject(new Error(`${url}: ${text}`)),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body && JSON.stringify(body));
  });
}
