import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import { freePorts } from './free-ports.js';
import { isListening } from './is-listening.js';
import type { ServerFolder } from './server-folder.js';
import { createServerProcess, type ServerProcess } from './server-process.js';

export interface KafkaCluster {
  /** Each is broker and controller in one (KRaft). */
  readonly brokers: readonly ServerProcess[];
  /** `host:port,…` */
  readonly addresses: string;
}

interface Node {
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
}

const execute = promisify(execFile);

/**
 * Creates the brokers of one cluster without starting them. With three brokers, every partition is on all of them,
 * and a message is acknowledged when two have it.
 *
 * @throws when `KAFKA_LIBS` is not a folder with the jars of Kafka
 */
export async function createKafka(folder: ServerFolder, size: 1 | 3): Promise<KafkaCluster> {
  const { KAFKA_LIBS: libs } = processEnvironment();
  if (libs === undefined) throw new Error('KAFKA_LIBS names no folder with the jars of Kafka');
  const ports = await freePorts(2 * size);
  const nodes = Array.from(
    { length: size },
    (_, index): Node => ({
      id: index + 1,
      port: ports[2 * index] ?? 0,
      controllerPort: ports[2 * index + 1] ?? 0,
    }),
  );
  const clusterId = randomBytes(16).toString('base64url');
  return {
    brokers: await Promise.all(nodes.map((node) => createBroker(folder, libs, clusterId, node, nodes))),
    addresses: nodes.map(({ port }) => `127.0.0.1:${port}`).join(','),
  };
}

async function createBroker(
  folder: ServerFolder,
  libs: string,
  clusterId: string,
  node: Node,
  nodes: readonly Node[],
): Promise<ServerProcess> {
  const home = folder.path(`kafka-${node.id}`);
  const file = path.join(home, 'server.properties');
  await mkdir(home);
  await writeFile(file, propertiesOf(home, node, nodes));
  const java = ['-Xmx384m', '-cp', `${libs}/*`];
  const storage = [...java, 'kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '-c', file];
  await execute('java', storage, { cwd: home });
  return createServerProcess({
    name: `Kafka ${node.id}`,
    command: 'java',
    args: [...java, 'kafka.Kafka', file],
    environment: folder.environment,
    cwd: home,
    logFile: folder.path(`kafka-${node.id}.log`),
    // A broker listens when it is ready for clients.
    isUp: () => isListening(node.port),
  });
}

function propertiesOf(home: string, node: Node, nodes: readonly Node[]): string {
  const replicas = nodes.length;
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': nodes
      .map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`)
      .join(),
    listeners: `PLAINTEXT://127.0.0.1:${node.port},CONTROLLER://127.0.0.1:${node.controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'log.dirs': path.join(home, 'logs'),
    'default.replication.factor': replicas,
    'min.insync.replicas': Math.min(2, replicas),
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': Math.min(2, replicas),
    'group.initial.rebalance.delay.ms': 0,
    'auto.create.topics.enable': false,
    // A killed broker can join again only when its earlier session has expired.
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
  })
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}
