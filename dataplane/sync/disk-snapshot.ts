import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, messageOf } from '../../shared/process/error-facts.js';
import type { RulesetSize } from '../../shared/ruleset/replacement.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { versionIn } from '../../shared/ruleset/ruleset-version.js';
import type { CapturedRedirects } from './cold/cold-redirects.js';
import {
  createSnapshotBodyReader,
  decodeHeader,
  encodeHeader,
  HEADER_BYTES,
  type SavedSnapshot,
} from './snapshot-file.js';
import { removeUnfinishedFiles, unfinishedFile } from './unfinished-files.js';

export const SNAPSHOT_FILE = 'ruleset.snapshot';

/**
 * Header of the ruleset on disk: undefined without a file, `unreadable` if it cannot be parsed. The body is not
 * checked.
 */
export async function readSnapshotSize(dataDir: string): Promise<RulesetSize | 'unreadable' | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path.join(dataDir, SNAPSHOT_FILE), 'r');
    const header = decodeHeader(await readPiece(handle, Buffer.alloc(HEADER_BYTES)));
    return { version: versionIn(header), hosts: header.count };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : 'unreadable';
  } finally {
    await handle?.close();
  }
}

/** Lines per turn of the event loop: some 2,000 redirects, which take 3 ms. */
const PIECE_BYTES = 256 * 1024;

export type SnapshotLoad =
  | { readonly outcome: 'loaded'; readonly saved: SavedSnapshot }
  | { readonly outcome: 'absent' }
  /** The file is damaged or unusable. It was renamed with `.bad` at the end. */
  | { readonly outcome: 'refused'; readonly reason: string };

/** The ruleset on disk, from which a data plane starts without any other server. */
export interface DiskSnapshot {
  /** Never rejects. */
  load(): Promise<SnapshotLoad>;
  /**
   * Replaces the file. After a crash at any moment either the old file or the new one is complete. Yields to the
   * event loop often; one call at a time.
   *
   * @returns the size of the file in bytes
   * @throws on disk errors
   */
  save(snapshot: RulesetSnapshot<CapturedRedirects>): Promise<number>;
}

export interface DiskSnapshotDeps {
  readonly dataDir: string;
  /** Unix time in milliseconds. */
  readonly nowMs: () => number;
}

export function createDiskSnapshot({ dataDir, nowMs }: DiskSnapshotDeps): DiskSnapshot {
  const file = path.join(dataDir, SNAPSHOT_FILE);
  const temporaryFile = unfinishedFile(file);

  return {
    async load() {
      // The error appears again, and is reported, when a ruleset is saved.
      await mkdir(dataDir, { recursive: true }).catch(() => undefined);
      await removeUnfinishedFiles(file);
      try {
        return { outcome: 'loaded', saved: await read(file) };
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return { outcome: 'absent' };
        await rename(file, `${file}.bad`).catch(() => undefined);
        return { outcome: 'refused', reason: messageOf(error) };
      }
    },
    async save(snapshot) {
      let sizeBytes: number;
      try {
        sizeBytes = await writeDurably(temporaryFile, snapshot, nowMs());
        await rename(temporaryFile, file);
      } catch (error) {
        await rm(temporaryFile, { force: true }).catch(() => undefined);
        throw error;
      }
      await syncFolder(dataDir);
      return sizeBytes;
    },
  };
}

async function read(file: string): Promise<SavedSnapshot> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(PIECE_BYTES);
    const body = createSnapshotBodyReader(
      decodeHeader(await readPiece(handle, bytes.subarray(0, HEADER_BYTES))),
    );
    for (;;) {
      const piece = await readPiece(handle, bytes);
      if (piece.length === 0) return body.end();
      body.push(piece);
    }
  } finally {
    await handle.close();
  }
}

/** @returns the next bytes; fewer at the end of the file */
async function readPiece(handle: FileHandle, room: Buffer): Promise<Buffer> {
  const { bytesRead } = await handle.read(room, 0, room.length);
  return room.subarray(0, bytesRead);
}

async function writeDurably(
  file: string,
  snapshot: RulesetSnapshot<CapturedRedirects>,
  savedAtMs: number,
): Promise<number> {
  const handle = await open(file, 'w');
  try {
    await writeFully(handle, Buffer.alloc(HEADER_BYTES), 0);
    const hash = createHash('sha256');
    let position = HEADER_BYTES;
    for (const piece of snapshot.redirects.pieces) {
      hash.update(piece);
      await writeFully(handle, piece, position);
      position += piece.length;
    }
    await writeFully(handle, encodeHeader(snapshot, hash.digest('hex'), savedAtMs), 0);
    await handle.sync();
    return position;
  } finally {
    await handle.close();
  }
}

/** One `write` may write fewer bytes than it was given. */
async function writeFully(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Makes the rename durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
