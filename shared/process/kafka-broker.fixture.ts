import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { processEnvironment } from '../config/process-environment.js';

/** The folder with a Kafka broker's jars; undefined where tests must do without. */
export const kafkaLibs: string | undefined = processEnvironment().KAFKA_LIBS;

/** A Kafka broker of its own, on ports that it keeps over restarts. */
export interface KafkaBroker {
  /** `host:port`. */
  readonly address: string;
  /** As `kill -9` does it. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Makes it hang, with its connections open, until `resume`. */
  pause(): void;
  resume(): void;
  /** Starts it again with what it had on disk. Resolves when it serves. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

/** Clients must use TLS and log in, by any mechanism. */
export interface KafkaSecurity {
  /** Files in PEM; `both` holds the key and the certificate of `localhost`. */
  readonly authority: string;
  readonly both: string;
  readonly username: string;
  readonly password: string;
}

const START_TIMEOUT_MS = 240_000;
const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];

/** @throws when `KAFKA_LIBS` names no broker that starts */
export async function startKafkaBroker(security?: KafkaSecurity): Promise<KafkaBroker> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-kafka-'));
  const [port, controllerPort, internalPort] = await freePorts();
  const address = `${security === undefined ? '127.0.0.1' : 'localhost'}:${port}`;
  const properties = path.join(folder, 'server.properties');
  const lines = {
    ...propertiesOf(folder, address, `127.0.0.1:${controllerPort}`),
    ...(security && secureProperties(security, address, { controllerPort, internalPort })),
  };
  await writeFile(
    properties,
    Object.entries(lines)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const clusterId = randomBytes(16).toString('base64url');
  const format = java(
    ...['kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '-c', properties],
    ...scramUsers(security),
  );
  const formatted = spawnSync(format.command, format.args, { cwd: folder, encoding: 'utf8' });
  if (formatted.status !== 0) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`Kafka's storage cannot be formatted: ${formatted.stderr}`);
  }

  let broker = await serve(folder, properties, address, security);
  const killAtExit = () => broker.kill('SIGKILL');
  process.once('exit', killAtExit);
  const kill = async () => {
    if (broker.exitCode !== null || broker.signalCode !== null) return;
    broker.kill('SIGKILL');
    await once(broker, 'exit');
  };

  return {
    address,
    kill,
    pause: () => void broker.kill('SIGSTOP'),
    resume: () => void broker.kill('SIGCONT'),
    async restart() {
      await kill();
      broker = await serve(folder, properties, address, security);
    },
    async remove() {
      await kill();
      process.off('exit', killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function java(...args: string[]) {
  return { command: 'java', args: ['-Xmx384m', '-cp', `${kafkaLibs}/*`, ...args] };
}

async function serve(
  folder: string,
  properties: string,
  address: string,
  security: KafkaSecurity | undefined,
): Promise<ChildProcess> {
  const { command, args } = java('kafka.Kafka', properties);
  const broker = spawn(command, args, { cwd: folder, stdio: 'ignore' });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!((await isListening(address)) && (await hasController(address, security)))) {
    if (broker.exitCode !== null) throw new Error('Kafka ended while it started');
    if (Date.now() > deadline) {
      broker.kill('SIGKILL');
      throw new Error('Kafka did not start in time');
    }
    await delay(50);
  }
  return broker;
}

/** Whether clients can have topics made: a broker may listen before it has learnt which node does that. */
async function hasController(address: string, security: KafkaSecurity | undefined): Promise<boolean> {
  const { username = '', password = '' } = security ?? {};
  const options = { brokers: [address], logLevel: logLevel.NOTHING, retry: { retries: 0 } };
  const login = security && {
    ssl: { ca: [readFileSync(security.authority)] },
    sasl: { mechanism: 'plain', username, password } as const,
  };
  const admin = new Kafka({ ...options, ...login }).admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).controller !== null;
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}

function isListening(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

function propertiesOf(folder: string, address: string, controller: string) {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${controller}`,
    listeners: `PLAINTEXT://${address},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAINTEXT://${address}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'log.dirs': path.join(folder, 'logs'),
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'auto.create.topics.enable': false,
    // A broker that was killed is let in again only when its earlier session has ended.
    'broker.session.timeout.ms': 1_500,
    'broker.heartbeat.interval.ms': 250,
  };
}

/** The broker speaks plainly only to itself. https://kafka.apache.org/documentation/#security_sasl */
function secureProperties(
  { both, username, password }: KafkaSecurity,
  address: string,
  { controllerPort, internalPort }: Readonly<Record<'controllerPort' | 'internalPort', number>>,
) {
  const internal = `INTERNAL://127.0.0.1:${internalPort}`;
  const jaas = 'listener.name.clients.plain.sasl.jaas.config';
  return {
    listeners: `CLIENTS://${address},${internal},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `CLIENTS://${address},${internal}`,
    'inter.broker.listener.name': 'INTERNAL',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,CLIENTS:SASL_SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': both,
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    [jaas]: `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`,
    ...Object.fromEntries(
      SCRAM.map((mechanism) => [
        `listener.name.clients.${mechanism.toLowerCase()}.sasl.jaas.config`,
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
      ]),
    ),
  };
}

function scramUsers(security: KafkaSecurity | undefined): string[] {
  if (security === undefined) return [];
  const { username, password } = security;
  return SCRAM.flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ]);
}

async function freePorts(): Promise<[number, number, number]> {
  const servers = [createServer(), createServer(), createServer()] as const;
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address !== null && typeof address === 'object') ports.push(address.port);
  }
  for (const server of servers) server.close();
  return ports as [number, number, number];
}
