import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ignoring, messageOf } from '../process/error-facts.js';
import { makeFolder } from '../process/make-folder.js';
import { ConfigError } from './environment.js';

const KEY_BYTES = 32;

export interface SecretKeyConfig {
  /** Value of SECRET_KEY. */
  readonly secretKey: string | undefined;
  readonly dataDir: string;
}

/** The installation's current secret and the previous ones. Data encrypted with a previous secret stays readable. */
export interface SecretKeys {
  readonly current: Buffer;
  readonly previous: readonly Buffer[];
}

/**
 * Matches the content of a key file. A previous key may come from a key file (hexadecimal digits) or from SECRET_KEY
 * (text).
 */
const KEY_FILE_CONTENT = /^[0-9a-f]{64}$/i;

/** Loads the current and the previous secrets. @throws {ConfigError} like {@link loadSecretKey} */
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
 * Returns the installation's secret: SECRET_KEY, or else the content of `<dataDir>/secret.key`, which is created if it
 * does not exist. The secret is never used directly; see {@link deriveKey}.
 *
 * @throws {ConfigError} if the file has no key, or cannot be created
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

/** Derives a key of 32 bytes for one purpose (RFC 5869). A key reveals nothing about the keys of other purposes. */
export function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const content = (await readFile(file, 'utf8').catch(ignoring('ENOENT')))?.trim();
  if (content === undefined) return undefined;
  // Do not create a new key here: all data encrypted with the old key would become unreadable without a message.
  if (!/^[0-9a-f]+$/i.test(content) || content.length !== KEY_BYTES * 2) {
    throw new ConfigError(
      `${file} does not hold a key (${KEY_BYTES * 2} hexadecimal digits): restore it from a backup, or delete it to have a new one made`,
    );
  }
  return Buffer.from(content, 'hex');
}

/**
 * Creates the key file atomically. A hard link, unlike a rename, fails if another process has created the file first.
 * All processes then use that key.
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
