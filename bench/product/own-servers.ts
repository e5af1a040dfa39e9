import { createKafka } from '../../deploy/faults/servers/kafka.js';
import { createServerFolder, type ServerFolder } from '../../deploy/faults/servers/server-folder.js';
import type { ServerProcess } from '../../deploy/faults/servers/server-process.js';

/**
 * Does `work` with a server of the benchmark, which it can stop. Then stops the server and removes its folder.
 *
 * @param create makes the server without starting it
 */
export async function withServer<Made extends { readonly server: ServerProcess }, T>(
  create: (folder: ServerFolder) => Promise<Made>,
  work: (made: Made) => Promise<T>,
): Promise<T> {
  const folder = await createServerFolder(false);
  const made = await create(folder);
  try {
    await made.server.start();
    return await work(made);
  } finally {
    await made.server.kill();
    folder.remove();
  }
}

/** Creates one Kafka broker. @throws if its jars are not in the folder `KAFKA_LIBS` */
export async function createKafkaBroker(folder: ServerFolder) {
  const { brokers, addresses } = await createKafka(folder, 1);
  const [server] = brokers;
  if (server === undefined) throw new Error('a cluster of one broker has one');
  return { server, brokers: addresses.split(',') };
}
