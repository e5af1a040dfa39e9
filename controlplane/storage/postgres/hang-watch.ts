import { Socket } from 'node:net';
import pg from 'pg';
import { settledInTurns, TURN_MS } from '../../../shared/async/deadline.js';
import { messageOf } from '../../../shared/process/error-facts.js';
import { createServerWatch, type ServerWatch } from '../../../shared/process/server-watch.js';
import { DatabaseUnavailableError } from './database-unavailable.js';

/** Time limit of a ping: one second. */
const PING_TURNS = 10;

/** Distinguishes a PostgreSQL server that hangs from one that executes long statements. */
export interface HangWatch extends Pick<ServerWatch, 'during'> {
  /** Makes the socket of a connection to the server. It is destroyed when the server is found to hang. */
  newSocket(): Socket;
  close(): Promise<void>;
}

/** @param connection address and login of the server; pings use a separate connection */
export function createHangWatch(connection: pg.PoolConfig): HangWatch {
  const sockets = new Set<Socket>();
  const newSocket = () => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  // Its connection stays open. A new one could be refused just when it matters.
  const pool = new pg.Pool({
    ...connection,
    application_name: 'waymark ping',
    max: 1,
    idleTimeoutMillis: 0,
    stream: newSocket,
  });
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});

  async function ping(): Promise<void> {
    try {
      await answered(pool.query('SELECT 1'));
    } catch (error) {
      // A server that refuses the ping answers. Its statements fail by themselves, if they fail.
      if (error instanceof pg.DatabaseError) return;
      // Connections to a server that hangs keep their place in the pool, and may stay dead when another server takes over.
      for (const socket of sockets) socket.destroy();
      throw error;
    }
  }
  const watch = createServerWatch({
    ping,
    problemOf: (cause) =>
      new DatabaseUnavailableError(new Error(`PostgreSQL does not answer: ${messageOf(cause)}`, { cause })),
  });

  return {
    during: watch.during,
    newSocket,
    async close() {
      watch.close();
      await pool.end();
    },
  };
}

async function answered(query: Promise<unknown>): Promise<void> {
  if (await settledInTurns(PING_TURNS, query)) return;
  throw new Error(`no answer to a ping within ${PING_TURNS * TURN_MS} ms`);
}
