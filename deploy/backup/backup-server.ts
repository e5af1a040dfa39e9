import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import type { Logger } from 'pino';
import type { BackupEntry } from '../../controlplane/backup/backup-entry.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { BACKUP_PATH, BACKUP_SOCKET, socketAddress } from './backup-socket.js';
import { BackupError } from './manifest.js';
import { writeArchive } from './write-archive.js';

export interface BackupServerDeps {
  readonly dataDir: string;
  readonly version: string;
  /** @throws {BackupError} while there is nothing to back up */
  readonly entries: () => AsyncIterable<BackupEntry>;
  readonly logger: Logger;
}

/** Answers `npm run backup` on a Unix socket in DATA_DIR: the process that owns the databases makes the backup. */
export interface BackupServer {
  /** A socket that cannot be made is logged: nothing but backups needs it. */
  start(): Promise<void>;
  /** Ends a backup under way. */
  stop(): Promise<void>;
}

export function createBackupServer({ dataDir, version, entries, logger }: BackupServerDeps): BackupServer {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let release: (() => Promise<void>) | undefined;

  async function answer(response: http.ServerResponse): Promise<void> {
    try {
      const content = entries();
      response.writeHead(200, { 'Content-Type': 'application/x-tar' });
      const startedMs = performance.now();
      await writeArchive(content, version, response, stopping.signal);
      logger.info({ durationMs: Math.round(performance.now() - startedMs) }, 'a backup was made');
    } catch (error) {
      if (error instanceof BackupError && !response.headersSent) return refuse(response, 503, error.message);
      logger.error({ err: error }, 'a backup failed');
      response.destroy();
    }
  }

  const server = http.createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== BACKUP_PATH) return refuse(response, 404, 'not found');
    if (running !== undefined)
      return refuse(response, 409, 'another backup is being made; wait until it is done');
    running = answer(response).finally(() => {
      running = undefined;
    });
  });

  return {
    async start() {
      try {
        const socket = await socketAddress(dataDir);
        release = socket.release;
        // A process that was killed has left it. This one holds the lock of DATA_DIR.
        await rm(path.join(dataDir, BACKUP_SOCKET), { force: true });
        server.listen(socket.address);
        await once(server, 'listening');
      } catch (error) {
        logger.error({ problem: messageOf(error) }, 'no backups can be made: the socket in DATA_DIR failed');
      }
    },
    async stop() {
      stopping.abort();
      await running;
      if (server.listening) await closed(server);
      await release?.();
    },
  };
}

function closed(server: http.Server): Promise<unknown> {
  const closing = once(server, 'close');
  server.close();
  server.closeAllConnections();
  return closing;
}

function refuse(response: http.ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' }).end(reason);
}
