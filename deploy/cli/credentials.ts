import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CommandError } from './command.js';

export interface Credentials {
  readonly url: string;
  readonly token: string;
  /** Set for a token that `login` created, which `logout` deletes. */
  readonly tokenId?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the file of `login`: `waymark/credentials.json` in `XDG_CONFIG_HOME` or `~/.config`. */
export function credentialsFile({ XDG_CONFIG_HOME, HOME }: Environment): string {
  return path.join(
    XDG_CONFIG_HOME || path.join(HOME || os.homedir(), '.config'),
    'waymark',
    'credentials.json',
  );
}

/** Reads the credentials that `login` wrote. A file that other users can read is refused. */
export async function readCredentials(environment: Environment): Promise<Credentials | undefined> {
  const file = credentialsFile(environment);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new CommandError(`Other users can read ${file}. Run: chmod 600 ${file}`);
  }
  try {
    const { url, token, tokenId } = JSON.parse(await readFile(file, 'utf8')) as Partial<Credentials>;
    if (typeof url === 'string' && typeof token === 'string') {
      return { url, token, ...(typeof tokenId === 'string' && { tokenId }) };
    }
  } catch {
    // The file is damaged. The error below tells the user how to repair it.
  }
  throw new CommandError(`${file} is damaged. Run: waymark login`);
}

export async function writeCredentials(environment: Environment, credentials: Credentials): Promise<string> {
  const file = credentialsFile(environment);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // A file that exists would keep its mode.
  await rm(file, { force: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(credentials, undefined, 2)}\n`);
  } finally {
    await handle.close();
  }
  return file;
}

/** Removes the file. Returns whether there was one. */
export async function removeCredentials(environment: Environment): Promise<boolean> {
  return rm(credentialsFile(environment)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
