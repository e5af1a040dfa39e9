import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AcmeAuthority } from '../../../shared/config/acme-config.js';
import type { AreaParts } from '../../area.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { AcmeClient } from './acme/acme-client.js';
import { publicJwk, thumbprintOf } from './acme/jws.js';
import { authorityRepository } from './authority-repository.js';
import type { KeyCipher } from './key-cipher.js';

const ACCOUNT_KEY = 'acme account key';

/** The account key of the installation. */
export interface AccountKey {
  readonly privateKey: KeyObject;
  readonly thumbprint: string;
}

export interface AccountKeyDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly cipher: KeyCipher;
}

/**
 * Returns the account key, which all control planes share. Creates the key on the first call. Keeps a key that another
 * SECRET_KEY encrypted in a separate place. A start with that SECRET_KEY uses it again.
 */
export async function loadAccountKey({ database, cipher, logger }: AccountKeyDeps): Promise<AccountKey> {
  return database.transaction(async (tx) => {
    const stored = await authorityRepository.readAccountKey(tx);
    const readable = stored && cipher.tryDecrypt(stored, ACCOUNT_KEY);
    if (stored !== undefined && readable !== undefined) {
      const renewed = cipher.renew(stored, ACCOUNT_KEY);
      if (renewed !== undefined) await authorityRepository.writeAccountKey(tx, renewed);
      return asAccountKey(createPrivateKey(readable));
    }
    if (stored !== undefined) await authorityRepository.setAccountKeyAside(tx, stored);
    const former = await findFormerKey(tx, cipher);
    if (stored !== undefined) {
      logger.warn(
        `the ACME account key cannot be decrypted with this SECRET_KEY; using ${former === undefined ? 'another account' : 'the account that this SECRET_KEY had before'}`,
      );
    }
    const pem = former ?? newKeyPem();
    await authorityRepository.writeAccountKey(tx, cipher.encrypt(pem, ACCOUNT_KEY));
    return asAccountKey(createPrivateKey(pem));
  });
}

async function findFormerKey(tx: Queryable, cipher: KeyCipher): Promise<string | undefined> {
  for (const encrypted of await authorityRepository.readAccountKeysAside(tx)) {
    const pem = cipher.tryDecrypt(encrypted, ACCOUNT_KEY);
    if (pem !== undefined) return pem;
  }
  return undefined;
}

function newKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function asAccountKey(privateKey: KeyObject): AccountKey {
  return { privateKey, thumbprint: thumbprintOf(publicJwk(privateKey)) };
}

export interface AccountDeps {
  readonly database: Database;
  readonly client: AcmeClient;
  readonly authority: AcmeAuthority;
  readonly email: string;
  readonly thumbprint: string;
}

/**
 * Returns the URL of the account. Registers the account on the first call. An authority answers a second registration
 * with the first account.
 *
 * @throws {AcmeProblem} {AcmeUnreachable}
 */
export async function requireAccount(deps: AccountDeps, signal: AbortSignal): Promise<string> {
  const { database, client, authority, email, thumbprint } = deps;
  const { directoryUrl, eab } = authority;
  const known = await authorityRepository.readAccountUrl(database, directoryUrl, thumbprint);
  if (known !== undefined) return known;
  const { newAccount } = await client.directory(signal);
  const answer = await client.post(
    newAccount,
    {
      termsOfServiceAgreed: true,
      contact: [`mailto:${email}`],
      ...(eab !== undefined && { externalAccountBinding: client.bindAccount(newAccount, eab) }),
    },
    undefined,
    signal,
  );
  const url = answer.header('location') ?? '';
  await authorityRepository.writeAccountUrl(database, directoryUrl, url, thumbprint);
  return url;
}
