import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Headers, type Pack, pack } from 'tar-stream';
import type { BackupEntry } from '../../controlplane/storage/backup/backup-entry.js';
import { ignoring } from '../../shared/process/error-facts.js';
import { FORMAT, MANIFEST, type Manifest, type ManifestEntry } from './manifest.js';

const CHUNK_BYTES = 256 * 1024;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Writes a tar archive of the entries and, last, a manifest with their checksums. Reads as fast as `output` accepts
 * data, and holds one chunk of a file in memory.
 *
 * @throws the error of reading an entry or writing to `output`; `output` is then destroyed
 */
export async function writeArchive(
  entries: AsyncIterable<BackupEntry>,
  version: string,
  output: Writable,
  signal: AbortSignal,
): Promise<void> {
  const archive = pack();
  const sent = pipeline(archive, output, { signal });
  // A failure of the output also fails the entry that is being added.
  sent.catch(() => undefined);
  try {
    const described: ManifestEntry[] = [];
    for await (const entry of entries) {
      const added = await addEntry(archive, entry);
      if (added !== undefined) described.push(added);
    }
    const createdAt = new Date().toISOString();
    const manifest: Manifest = { format: FORMAT, version, createdAt, entries: described };
    await addText(archive, MANIFEST, JSON.stringify(manifest));
    archive.finalize();
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
  await sent;
}

/** @returns undefined for a file that no longer exists: a database deletes files and records that in its log */
async function addEntry(archive: Pack, entry: BackupEntry): Promise<ManifestEntry | undefined> {
  const { name } = entry;
  switch (entry.kind) {
    case 'file':
      return addFile(archive, name, entry.from);
    case 'text':
      return addText(archive, name, entry.text);
    case 'folder':
      await add(archive, { name, type: 'directory', mode: FOLDER_MODE });
      return { name };
    case 'link':
      await add(archive, { name, type: 'symlink', linkname: entry.target });
      return { name, target: entry.target };
  }
}

async function addText(archive: Pack, name: string, text: string): Promise<ManifestEntry> {
  const content = Buffer.from(text);
  const hash = createHash('sha256');
  await add(archive, { name, mode: FILE_MODE, size: content.length }, [hashed(hash, content)]);
  return { name, bytes: content.length, sha256: hash.digest('hex') };
}

async function addFile(archive: Pack, name: string, from: string): Promise<ManifestEntry | undefined> {
  const handle = await open(from, 'r').catch(ignoring('ENOENT'));
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const hash = createHash('sha256');
    await add(archive, { name, mode: FILE_MODE, size }, exactly(handle, size, hash));
    return { name, bytes: size, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/** Reads `size` bytes of a file that may grow or shrink during the read. Zeros replace missing bytes. */
async function* exactly(handle: FileHandle, size: number, hash: Hash): AsyncGenerator<Buffer> {
  for (let position = 0; position < size; ) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    const read = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead);
    position += read.length;
    yield hashed(hash, read);
  }
}

function hashed(hash: Hash, chunk: Buffer): Buffer {
  hash.update(chunk);
  return chunk;
}

function add(
  archive: Pack,
  header: Partial<Headers> & { name: string },
  content: Iterable<Buffer> | AsyncIterable<Buffer> = [],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sink = archive.entry(header, (error) => (error ? reject(error) : resolve()));
    // The sink fails with the archive. Without a listener the process would end.
    sink.on('error', reject);
    if (header.type === 'directory' || header.type === 'symlink') return;
    const write = async () => {
      for await (const chunk of content)
        if (!sink.write(chunk)) await new Promise((drained) => sink.once('drain', drained));
      sink.end();
    };
    write().catch((error: unknown) => {
      sink.destroy();
      reject(error);
    });
  });
}
