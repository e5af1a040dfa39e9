import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ignoring, messageOf } from '../process/error-facts.js';
import { makeFolder } from '../process/make-folder.js';
import { ConfigError } from './environment.js';

const KEY_BYTES = 32;

export interface SecretKeyConfig {
  /** The variable SECRET_KEY. */
  readonly secretKey: string | undefined;
  readonly dataDir: string;
}

/**
 * Current secret of the installation and the secrets it replaced. Data encrypted with an old secret is still
 * readable.
 */
export interface SecretKeys {
  readonly current: Buffer;
  readonly previous: readonly Buffer[];
}

/** A key file holds hexadecimal digits, and the variable SECRET_KEY is taken as text. Either may have been the old key. */
const KEY_FILE_CONTENT = /^[0-9a-f]{64}$/i;

/** @throws {ConfigError} as {@link loadSecretKey} */
export async function loadSecretKeys(
  config: SecretKeyConfig & { readonly previousSecretKey: string | undefined },
): Promise<SecretKeys> {
  const current = await loadSecretKey(config);
  const text = config.previousSecretKey;
  if (text === undefined) return { current, previous: [] };
  const previous = [Buffer.from(text, 'utf8')];
  if (KEY_FILE_CONTENT.test(text)) previous.push(Buffer.from(text, 'hex'));
  return { current, previous };
}

/**
 * The installation's secret: the variable SECRET_KEY, else `<dataDir>/secret.key`, which is made the first time.
 * Never used itself; see {@link deriveKey}.
 *
 * @throws {ConfigError} when the file does not hold a key, or cannot be made
 */
export async function loadSecretKey({ secretKey, dataDir }: SecretKeyConfig): Promise<Buffer> {
  if (secretKey !== undefined) return Buffer.from(secretKey, 'utf8');
  const file = path.join(dataDir, 'secret.key');
  const known = await readKey(file);
  if (known !== undefined) return known;
  return createKey(file).catch((cause: unknown) => {
    throw new ConfigError(
      `DATA_DIR ${dataDir} cannot be written to: ${messageOf(cause)}; name another folder, or set SECRET_KEY`,
      { cause },
    );
  });
}

/** A key of 32 bytes for one purpose. Keys of different purposes tell nothing about each other (RFC 5869). */
export function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const content = (await readFile(file, 'utf8').catch(ignoring('ENOENT')))?.trim();
  if (content === undefined) return undefined;
  // A new key would silently make everything unreadable that the old one protects.
  if (!/^[0-9a-f]+$/i.test(content) || content.length !== KEY_BYTES * 2) {
    throw new ConfigError(
      `${file} does not hold a key (${KEY_BYTES * 2} hexadecimal digits): restore it from a backup, or delete it to have a new one made`,
    );
  }
  return Buffer.from(content, 'hex');
}

/**
 * The file appears under its name complete or not at all. A link, unlike a rename, fails when another process
 * was first; then that one's key is everybody's.
 */
async function createKey(file: string): Promise<Buffer> {
  await makeFolder(path.dirname(file));
  const unfinished = `${file}.${randomUUID()}`;
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('hex')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(unfinished, file).catch(ignoring('EEXIST'));
  } finally {
    await rm(unfinished, { force: true });
  }
  const key = await readKey(file);
  if (key === undefined) throw new Error(`${file} was removed while it was being made`);
  return key;
}
