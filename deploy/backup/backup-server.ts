import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import type { Logger } from 'pino';
import type { BackupEntry } from '../../controlplane/storage/backup/backup-entry.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { BACKUP_PATH, BACKUP_SOCKET, BACKUP_STALL_MS, socketAddress } from './backup-socket.js';
import { BackupError } from './manifest.js';
import { writeArchive } from './write-archive.js';

export interface BackupServerDeps {
  readonly dataDir: string;
  readonly version: string;
  /** @throws {BackupError} while there is nothing to back up */
  readonly entries: () => AsyncIterable<BackupEntry>;
  readonly logger: Logger;
  /** Time without progress after which a backup is ended. */
  readonly stallMs?: number;
}

/** Answers `npm run backup` on a Unix socket in DATA_DIR: the process that owns the databases makes the backup. */
export interface BackupServer {
  /**
   * Makes the socket. A failure is logged, because nothing but backups needs the socket; the next call tries again. Does
   * nothing where the socket exists.
   */
  start(): Promise<void>;
  /** Ends a backup under way. */
  stop(): Promise<void>;
}

export function createBackupServer({
  dataDir,
  version,
  entries,
  logger,
  stallMs = BACKUP_STALL_MS,
}: BackupServerDeps): BackupServer {
  const stopping = new AbortController();
  let starting: Promise<void> | undefined;
  let running: Promise<void> | undefined;
  let release: (() => Promise<void>) | undefined;

  async function answer(response: http.ServerResponse): Promise<void> {
    const stalled = new AbortController();
    const notRead = () => stalled.abort(new Error(`nothing of it was read for ${stallMs / 1_000} s`));
    try {
      const content = entries();
      response.setTimeout(stallMs, notRead);
      response.writeHead(200, { 'Content-Type': 'application/x-tar' });
      const startedMs = performance.now();
      await writeArchive(content, version, response, AbortSignal.any([stopping.signal, stalled.signal]));
      logger.info({ durationMs: Math.round(performance.now() - startedMs) }, 'a backup was made');
    } catch (error) {
      if (error instanceof BackupError && !response.headersSent) return refuse(response, 503, error.message);
      logger.error({ err: stalled.signal.reason ?? error }, 'a backup failed');
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

  async function listen(): Promise<void> {
    if (server.listening || stopping.signal.aborted) return;
    try {
      const socket = await socketAddress(dataDir);
      release = socket.release;
      // A killed process left this file. This process holds the lock of DATA_DIR.
      await rm(path.join(dataDir, BACKUP_SOCKET), { force: true });
      server.listen(socket.address);
      await once(server, 'listening');
    } catch (error) {
      await release?.();
      release = undefined;
      logger.error({ problem: messageOf(error) }, 'no backups can be made: the socket in DATA_DIR failed');
    }
  }

  return {
    start() {
      starting ??= listen().finally(() => {
        starting = undefined;
      });
      return starting;
    },
    async stop() {
      stopping.abort();
      await starting;
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
