import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { issueCertificate } from '../../shared/certificates/issue-certificate.js';

const DAY_MS = 86_400_000;

/** An authority (EC P-256) of the benchmark. */
export interface BenchIssuer {
  /** The root certificate, at the end of every chain. */
  readonly certificate: string;
  issue(commonName: string, names: readonly string[], publicKey: KeyObject): string;
}

/** Creates an authority whose certificates are valid from yesterday on. */
export function createBenchIssuer(validDays: number): BenchIssuer {
  const { publicKey: ownKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { commonName: 'Benchmark', privateKey };
  const dates = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + validDays * DAY_MS };
  const own = { commonName: issuer.commonName, names: [], publicKey: ownKey, isAuthority: true };
  return {
    certificate: issueCertificate({ ...dates, ...own, issuer }),
    issue: (commonName, names, publicKey) =>
      issueCertificate({ ...dates, commonName, names, publicKey, issuer }),
  };
}

/** The certificate that all servers of a comparison serve. Each reads the files that it needs. */
export interface BenchCertificate {
  /** Holds the files under the names that certbot uses. */
  readonly folder: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Chain and key in one file, as HAProxy reads them. */
  readonly bothFile: string;
}

/** Makes a certificate (EC P-256) with one issuer for all hosts of the benchmark. */
export async function makeBenchCertificate(workFolder: string): Promise<BenchCertificate> {
  const issuer = createBenchIssuer(1);
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = ['*.bench.example', '*.bench.localhost'];
  const chain = issuer.issue('bench.example', names, key.publicKey) + issuer.certificate;
  const privateKey = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const folder = path.join(workFolder, 'certificate');
  await mkdir(folder);
  const files = {
    folder,
    certificateFile: path.join(folder, 'fullchain.pem'),
    keyFile: path.join(folder, 'privkey.pem'),
    bothFile: path.join(folder, 'both'),
  };
  await writeFile(files.certificateFile, chain);
  await writeFile(files.keyFile, privateKey);
  await writeFile(files.bothFile, chain + privateKey);
  return files;
}
