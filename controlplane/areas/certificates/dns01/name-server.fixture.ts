import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processEnvironment } from '../../../../shared/config/process-environment.js';
import type { TsigKey } from './dns-updates.js';

/** Program of BIND 9; `deploy/services/with-bind.sh` sets it. */
export const NAMED = processEnvironment().NAMED;

const START_TIMEOUT_MS = 120_000;

/** A running BIND 9 that takes dynamic updates. */
export interface NameServer {
  /** `IP:port`. */
  readonly address: string;
  readonly key: TsigKey;
  /** Returns the TXT records of a name. */
  txt(name: string): Promise<string[]>;
  /** Runs commands of nsupdate with the key. */
  nsupdate(...commands: string[]): Promise<void>;
  end(): Promise<void>;
}

/**
 * @param dynamicZones take updates that are signed with the key
 * @param records of the zone `localhost`, as in a zone file
 */
export async function startNameServer(
  dynamicZones: readonly string[],
  records: readonly string[] = [],
): Promise<NameServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-bind-'));
  const port = await freePort();
  const key = { name: 'waymark-test', secret: randomBytes(32) };
  const secret = key.secret.toString('base64');
  const zoneFile = (zone: string) => path.join(folder, `${zone}.zone`);
  const head = ['$TTL 1', '@ IN SOA ns hostmaster 1 60 60 600 1', '@ IN NS ns', 'ns IN A 127.0.0.1'];
  await writeFile(zoneFile('localhost'), `${[...head, '* IN A 127.0.0.1', ...records].join('\n')}\n`);
  for (const zone of dynamicZones) await writeFile(zoneFile(zone), `${head.join('\n')}\n`);
  const zones = [
    `zone "localhost" { type master; file "${zoneFile('localhost')}"; };`,
    ...dynamicZones.map(
      (zone) =>
        `zone "${zone}" { type master; file "${zoneFile(zone)}"; allow-update { key "${key.name}"; }; };`,
    ),
  ];
  // It follows aliases from one zone to another only when it resolves names for others.
  const options = [
    `directory "${folder}"; pid-file none; session-keyfile none; recursion yes; allow-recursion { 127.0.0.1; }; dnssec-validation no;`,
    `listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };`,
  ].join(' ');
  const config = path.join(folder, 'named.conf');
  const text = [
    `options { ${options} };`,
    'controls { };',
    `key "${key.name}" { algorithm hmac-sha256; secret "${secret}"; };`,
    ...zones,
  ];
  await writeFile(config, `${text.join('\n')}\n`);
  const child = spawn(NAMED ?? '', ['-f', '-n', '1', '-c', config], { stdio: 'ignore' });
  await untilListening(child, port);
  const address = `127.0.0.1:${port}`;

  return {
    address,
    key,
    async txt(name) {
      const resolver = new Resolver({ timeout: 1_000 });
      resolver.setServers([address]);
      const texts = await resolver.resolveTxt(name).catch(() => []);
      return texts.map((parts) => parts.join(''));
    },
    async nsupdate(...commands) {
      const lines = [
        `server 127.0.0.1 ${port}`,
        `key hmac-sha256:${key.name} ${secret}`,
        ...commands,
        'send',
      ];
      const file = path.join(folder, 'commands');
      await writeFile(file, `${lines.join('\n')}\n`);
      await promisify(execFile)('nsupdate', [file]);
    },
    async end() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  for (const endMs = Date.now() + START_TIMEOUT_MS; Date.now() < endMs; await sleep(20)) {
    if (child.exitCode !== null) throw new Error(`named ended with ${child.exitCode}`);
    if (await accepts(port)) return;
  }
  child.kill('SIGKILL');
  throw new Error('named does not listen');
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
