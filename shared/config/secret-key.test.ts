import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from './environment.js';
import { deriveKey, loadSecretKey } from './secret-key.js';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-secret-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const load = (secretKey?: string, folder = dataDir) => loadSecretKey({ secretKey, dataDir: folder });

describe('the secret of an installation', () => {
  it('is the variable when there is one, and then no file is made', async () => {
    expect(await load('0123456789abcdef')).toEqual(Buffer.from('0123456789abcdef'));
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is made the first time, in a folder that need not exist, and stays the same', async () => {
    const folder = path.join(dataDir, 'not', 'there', 'yet');
    const key = await load(undefined, folder);
    expect(key).toHaveLength(32);
    expect(await load(undefined, folder)).toEqual(key);
    expect((await readFile(path.join(folder, 'secret.key'), 'utf8')).trim()).toBe(key.toString('hex'));
  });

  it('can be read by its owner only', async () => {
    await load();
    expect((await stat(path.join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
  });

  it('is the same for all processes that start at the same time, and leaves no temporary file', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => load()));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(['secret.key']);
  });

  it.each([
    ['empty', ''],
    ['short', 'abcdef\n'],
    ['not hexadecimal', 'z'.repeat(64)],
    ['too long', 'a'.repeat(66)],
  ])('is not replaced when its file is %s', async (_what, content) => {
    const file = path.join(dataDir, 'secret.key');
    await writeFile(file, content);
    await expect(load()).rejects.toThrow(ConfigError);
    await expect(load()).rejects.toThrow(file);
    expect(await readFile(file, 'utf8')).toBe(content);
  });

  it('is not made where nothing can be written, which is said with the variables to set', async () => {
    const link = path.join(dataDir, 'to-nowhere');
    await symlink(path.join(dataDir, 'not', 'there'), link);
    await expect(load(undefined, link)).rejects.toThrow(ConfigError);
    await expect(load(undefined, link)).rejects.toThrow(
      /^DATA_DIR \S+to-nowhere cannot be written to: .*SECRET_KEY/,
    );
  });

  it('passes on the error of reading the file', async () => {
    await mkdir(path.join(dataDir, 'secret.key'));
    await expect(load()).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

describe('a derived key', () => {
  const secret = Buffer.from('a secret of the installation');

  it('has 32 bytes and is the same each time', () => {
    expect(deriveKey(secret, 'one purpose')).toHaveLength(32);
    expect(deriveKey(secret, 'one purpose')).toEqual(deriveKey(secret, 'one purpose'));
  });

  it('differs by purpose and by secret', () => {
    const keys = [
      deriveKey(secret, 'one purpose'),
      deriveKey(secret, 'other purpose'),
      deriveKey(Buffer.from('the secret of another'), 'one purpose'),
      secret,
    ];
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(4);
  });

  // RFC 5869, appendix A.3: the case without salt and info, cut to our length.
  it('is HKDF with SHA-256', () => {
    const expected = '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d';
    expect(deriveKey(Buffer.alloc(22, 0x0b), '').toString('hex')).toBe(expected);
  });
});
