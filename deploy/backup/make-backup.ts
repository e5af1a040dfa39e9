import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip, constants as zlib } from 'node:zlib';
import { removeUnfinishedFiles, unfinishedFile } from '../../dataplane/sync/unfinished-files.js';
import { codeOf, messageOf } from '../../shared/process/error-facts.js';
import { dataDirLockState } from '../process/data-dir-lock.js';
import { BACKUP_PATH, BACKUP_STALL_MS, socketAddress } from './backup-socket.js';
import { BackupError } from './manifest.js';
import { syncFolder } from './sync-folder.js';

export interface BackupRequest {
  readonly dataDir: string;
  /** Path of the backup. An existing file is replaced when the backup is complete. */
  readonly file: string;
  readonly signal: AbortSignal;
  /** Time without progress after which the backup is given up. */
  readonly stallMs?: number;
  /** Maximum time to wait for a product that is starting. */
  readonly startWaitMs?: number;
}

/** A start takes some seconds; a migration of a large database takes longer. */
const START_WAIT_MS = 120_000;
const POLL_INTERVAL_MS = 250;

/**
 * Asks the running product for a backup and writes it, compressed. Waits for a product that is starting. The file appears
 * whole or not at all.
 *
 * @returns its size in bytes
 * @throws {BackupError}
 */
export async function makeBackup({
  dataDir,
  file,
  signal,
  stallMs = BACKUP_STALL_MS,
  startWaitMs = START_WAIT_MS,
}: BackupRequest): Promise<number> {
  const response = await requestedFromStarted({ dataDir, signal, stallMs, startWaitMs });
  const unfinished = unfinishedFile(file);
  await removeUnfinishedFiles(file);
  try {
    await rm(unfinished, { force: true });
    const gzip = createGzip({ level: zlib.Z_BEST_SPEED });
    // No other user may read the file from its creation on. Its data is on the disk when it is closed.
    const output = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(response, gzip, output, { signal });
    const { size } = await stat(unfinished);
    await rename(unfinished, file);
    await syncFolder(path.dirname(file));
    return size;
  } catch (error) {
    response.destroy();
    await rm(unfinished, { force: true });
    throw new BackupError(whyUnfinished(error, file, signal), { cause: error });
  }
}

/** The product holds the lock of DATA_DIR from the beginning of its start, and opens the socket at the end. */
async function requestedFromStarted({
  dataDir,
  signal,
  stallMs,
  startWaitMs,
}: Required<Omit<BackupRequest, 'file'>>): Promise<http.IncomingMessage> {
  const giveUpAtMs = performance.now() + startWaitMs;
  for (;;) {
    try {
      return await requested(dataDir, signal, stallMs);
    } catch (error) {
      if (error instanceof BackupError) throw error;
      if (signal.aborted) throw new BackupError(STOPPED, { cause: error });
      const isStarting = isUnheard(error) && (await dataDirLockState(dataDir)).state !== 'free';
      if (!isStarting) throw new BackupError(whyUnreachable(error, dataDir), { cause: error });
      if (performance.now() >= giveUpAtMs) throw new BackupError(stillStarting(dataDir, startWaitMs));
    }
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {
      throw new BackupError(STOPPED);
    });
  }
}

async function requested(
  dataDir: string,
  signal: AbortSignal,
  stallMs: number,
): Promise<http.IncomingMessage> {
  const { address, release } = await socketAddress(dataDir);
  try {
    const response = await answerOf(address, signal, stallMs);
    if (response.statusCode === 200) return response;
    throw new BackupError(`No backup was made: ${await text(response)}.`);
  } finally {
    await release();
  }
}

function answerOf(socketPath: string, signal: AbortSignal, stallMs: number): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, path: BACKUP_PATH, method: 'POST', agent: false, signal });
    const stalled = () =>
      new BackupError(`Waymark sent nothing for ${stallMs / 1_000} s; no backup was kept. Is it stopped?`);
    request.setTimeout(stallMs, () => request.destroy(stalled()));
    request.once('error', reject).once('response', (response) => {
      // Ending the request would report a connection that was reset.
      request.removeAllListeners('timeout').once('timeout', () => response.destroy(stalled()));
      resolve(response);
    });
    request.end();
  });
}

const STOPPED = 'The backup was stopped; nothing of it was kept.';

/** Whether no process listens at the socket. */
function isUnheard(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ECONNREFUSED';
}

function stillStarting(dataDir: string, waitedMs: number): string {
  return `Waymark runs with DATA_DIR ${dataDir}, but takes no backups after ${waitedMs / 1_000} s: it is starting, or its log says why. Repeat this when its /readyz answers 200.`;
}

function whyUnreachable(error: unknown, dataDir: string): string {
  if (isUnheard(error)) {
    return `Waymark does not run with DATA_DIR ${dataDir}: start it, or set DATA_DIR to the folder of the running one.`;
  }
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') {
    return `DATA_DIR ${dataDir} is closed to this user: make the backup as the user of Waymark, or as root.`;
  }
  return `Waymark did not answer in DATA_DIR ${dataDir}: ${messageOf(error)}.`;
}

function whyUnfinished(error: unknown, file: string, signal: AbortSignal): string {
  if (signal.aborted) return STOPPED;
  if (error instanceof BackupError) return error.message;
  if (codeOf(error) === 'ECONNRESET') {
    return 'Waymark ended the backup before it was whole; its log says why. Nothing of it was kept.';
  }
  return `${file} cannot be written (${messageOf(error)}); nothing of it was kept.`;
}
