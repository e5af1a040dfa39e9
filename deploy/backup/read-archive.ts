import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Entry, extract } from 'tar-stream';
import { codeOf, messageOf } from '../../shared/process/error-facts.js';
import { BackupError, MANIFEST, type Manifest, type ManifestEntry, parseManifest } from './manifest.js';

const MOST_MANIFEST_BYTES = 256 * 1024 * 1024;
/** Names that a backup may put into DATA_DIR. */
const NAME = /^(?:secret\.key|ruleset\.snapshot|(?:postgres|clickhouse)(?:\/[\w.%-]+)*)$/;
const LINK_NAME = /^clickhouse\/metadata\/\w+$/;
const LINK_TARGET = /^\.\.\/store\/[0-9a-f]{3}\/[0-9a-f-]{36}$/;

/**
 * Unpacks a backup into `folder`, which must exist, and checks everything against the manifest.
 *
 * @throws {BackupError} if the backup is damaged or incomplete, or `folder` cannot be written; `folder` may then hold a
 * part of it
 */
export async function readArchive(file: string, folder: string): Promise<Manifest> {
  const archive = extract();
  const read = pipeline(createReadStream(file), createGunzip(), archive);
  read.catch(() => undefined);
  try {
    const found: ManifestEntry[] = [];
    let manifest: Manifest | undefined;
    for await (const entry of archive) {
      if (manifest !== undefined) throw new BackupError('something follows its manifest');
      if (entry.header.name === MANIFEST) manifest = parseManifest(await textOf(entry));
      else found.push(await unpack(entry, folder));
    }
    await read;
    if (manifest === undefined) throw new BackupError('its end is missing');
    compare(found, manifest);
    return manifest;
  } catch (error) {
    archive.destroy();
    throw new BackupError(`The backup ${file} cannot be restored: ${whyUnreadable(error)}.`, {
      cause: error,
    });
  }
}

async function unpack(entry: Entry, folder: string): Promise<ManifestEntry> {
  const { type, linkname } = entry.header;
  const name = entry.header.name.replace(/\/$/, '');
  if (!NAME.test(name) || name.split('/').includes('..')) {
    throw new BackupError(`it has an entry that Waymark does not write (${JSON.stringify(name)})`);
  }
  const place = path.join(folder, name);
  if (type === 'file') return { name, ...(await unpackFile(entry, place)) };
  entry.resume();
  if (type === 'directory') {
    await mkdir(place, { recursive: true });
    return { name };
  }
  if (type !== 'symlink' || !linkname || !LINK_NAME.test(name) || !LINK_TARGET.test(linkname)) {
    throw new BackupError(`it has an entry that Waymark does not write (${JSON.stringify(name)})`);
  }
  await symlink(linkname, place);
  return { name, target: linkname };
}

async function unpackFile(entry: Readable, place: string): Promise<{ bytes: number; sha256: string }> {
  await mkdir(path.dirname(place), { recursive: true });
  const hash = createHash('sha256');
  const handle = await open(place, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of entry as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
    // Before the old data is replaced, the new must be on the disk.
    await handle.sync();
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

async function textOf(entry: Entry): Promise<string> {
  if ((entry.header.size ?? 0) > MOST_MANIFEST_BYTES) throw new BackupError('its manifest is too large');
  const chunks: Buffer[] = [];
  for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function compare(found: readonly ManifestEntry[], { entries }: Manifest): void {
  const expected = new Map(entries.map((entry) => [entry.name, entry]));
  for (const entry of found) {
    const { bytes, sha256, target } = expected.get(entry.name) ?? {};
    if (bytes !== entry.bytes || sha256 !== entry.sha256 || target !== entry.target) {
      throw new BackupError(`${entry.name} in it is damaged`);
    }
    expected.delete(entry.name);
  }
  for (const { name } of expected.values()) throw new BackupError(`${name} is missing in it`);
}

function whyUnreadable(error: unknown): string {
  switch (codeOf(error)) {
    case 'Z_DATA_ERROR':
      return `it is damaged, or no backup (${messageOf(error)})`;
    case 'Z_BUF_ERROR':
      return 'it is cut off, its end is missing';
    default:
      return /^(?:Invalid tar header|Unexpected end of data)/.test(messageOf(error))
        ? `it is damaged or cut off (${messageOf(error)})`
        : messageOf(error);
  }
}
