import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkCertificate } from '../../shared/certificates/certificate-material.js';
import { createCertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { issueCertificate } from '../../shared/certificates/issue-certificate.js';
import { benchRedirect } from '../traffic/bench-request.js';

const DAY_MS = 86_400_000;
/** Secret that the certificates of the benchmark are encrypted with. */
export const BENCH_SECRET = Buffer.alloc(32);

/**
 * Writes a certificate (EC P-256, chain of two) for each of the first `count` hosts of the benchmark to where a data plane keeps
 * those of the control plane. Returns the file of their fingerprints.
 *
 * @param workFolder of the data plane
 */
export async function storeCertificates(workFolder: string, count: number): Promise<string> {
  const folder = path.join(workFolder, 'certificates');
  await mkdir(folder, { mode: 0o700 });
  const sealing = createCertificateSealing(BENCH_SECRET, []);
  const dates = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + 90 * DAY_MS };
  const issuerKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { commonName: 'Benchmark', privateKey: issuerKey.privateKey };
  const chainEnd = issueCertificate({
    ...{ ...dates, commonName: issuer.commonName, names: [], publicKey: issuerKey.publicKey, issuer },
    isAuthority: true,
  });
  // One key for all: to make as many takes longer than the measurement.
  const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const fingerprints: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { host } = benchRedirect(index);
    const leaf = issueCertificate({ ...dates, commonName: host, names: [host], publicKey, issuer });
    const checked = checkCertificate({ certificate: leaf + chainEnd, privateKey }, undefined);
    if ('problem' in checked) throw new Error(checked.problem.message);
    const { fingerprint } = checked.facts;
    fingerprints.push(fingerprint);
    await writeFile(path.join(folder, fingerprint), sealing.seal(fingerprint, checked.material), {
      mode: 0o600,
    });
  }
  const file = path.join(workFolder, 'fingerprints.json');
  await writeFile(file, JSON.stringify(fingerprints));
  return file;
}
