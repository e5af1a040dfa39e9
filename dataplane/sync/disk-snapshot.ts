import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { encodeDefinitionLines } from '../../shared/ruleset/definition-lines.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { decodeSnapshotFile, encodeHeader, HEADER_BYTES, type SavedSnapshot } from './snapshot-file.js';

export const SNAPSHOT_FILE = 'ruleset.snapshot';

export type SnapshotLoad =
  | { readonly outcome: 'loaded'; readonly saved: SavedSnapshot }
  | { readonly outcome: 'absent' }
  /** There is a file, but not one to answer visitors from; it now lies aside with `.bad` on its name. */
  | { readonly outcome: 'refused'; readonly reason: string };

/** The ruleset on disk, from which a data plane starts while everything else is down. */
export interface DiskSnapshot {
  /** Never rejects. */
  load(): Promise<SnapshotLoad>;
  /**
   * Replaces the file. After a crash at any moment either the old file is there whole or the new one is.
   * Yields to the event loop often; one call at a time.
   *
   * @throws when the disk does
   */
  save(snapshot: RulesetSnapshot): Promise<void>;
}

export interface DiskSnapshotDeps {
  readonly dataDir: string;
  /** Unix time in milliseconds. */
  readonly nowMs: () => number;
}

export function createDiskSnapshot({ dataDir, nowMs }: DiskSnapshotDeps): DiskSnapshot {
  const file = path.join(dataDir, SNAPSHOT_FILE);
  // Processes that share a folder do not write into each other's file, and a crash leaves one file at most.
  const temporaryFile = `${file}.${process.pid}.tmp`;

  return {
    async load() {
      // What keeps it from being made shows again, and is reported, when something is saved.
      await mkdir(dataDir, { recursive: true }).catch(() => undefined);
      const bytes = await readIfPresent(file);
      if (bytes === undefined) return { outcome: 'absent' };
      const reading =
        bytes instanceof Error ? { ok: false as const, reason: bytes.message } : decodeSnapshotFile(bytes);
      if (reading.ok) return { outcome: 'loaded', saved: reading.saved };
      await rename(file, `${file}.bad`).catch(() => undefined);
      return { outcome: 'refused', reason: reading.reason };
    },
    async save(snapshot) {
      try {
        await writeDurably(temporaryFile, snapshot, nowMs());
        await rename(temporaryFile, file);
      } catch (error) {
        await rm(temporaryFile, { force: true }).catch(() => undefined);
        throw error;
      }
      await syncFolder(dataDir);
    },
  };
}

async function readIfPresent(file: string): Promise<Buffer | Error | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (!(error instanceof Error)) return new Error(String(error));
    return 'code' in error && error.code === 'ENOENT' ? undefined : error;
  }
}

async function writeDurably(file: string, snapshot: RulesetSnapshot, savedAtMs: number): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await writeFully(handle, Buffer.alloc(HEADER_BYTES), 0);
    const hash = createHash('sha256');
    let position = HEADER_BYTES;
    for (const slice of encodeDefinitionLines(snapshot.redirects)) {
      hash.update(slice);
      await writeFully(handle, slice, position);
      position += slice.length;
    }
    await writeFully(handle, encodeHeader(snapshot, hash.digest('hex'), savedAtMs), 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One `write` may take less than it is given. */
async function writeFully(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Makes the rename itself durable. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders; its rename is journalled.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
