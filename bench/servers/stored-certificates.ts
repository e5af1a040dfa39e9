import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkCertificate } from '../../shared/certificates/certificate-material.js';
import { createCertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { benchRedirect } from '../traffic/bench-request.js';
import { createBenchIssuer } from './bench-certificate.js';

/** Secret that the certificates of the benchmark are encrypted with. */
export const BENCH_SECRET = Buffer.alloc(32);

/**
 * Writes a certificate (EC P-256, chain of two) for each of the first `count` hosts of the benchmark into the folder in
 * which a data plane keeps certificates of the control plane. Returns the file of their fingerprints.
 *
 * @param workFolder of the data plane
 */
export async function storeCertificates(workFolder: string, count: number): Promise<string> {
  const folder = path.join(workFolder, 'certificates');
  await mkdir(folder, { mode: 0o700 });
  const sealing = createCertificateSealing(BENCH_SECRET, []);
  const issuer = createBenchIssuer(90);
  // All certificates share one key, because making as many keys takes longer than the measurement.
  const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const fingerprints: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { host } = benchRedirect(index);
    const certificate = issuer.issue(host, [host], publicKey) + issuer.certificate;
    const checked = checkCertificate({ certificate, privateKey }, undefined);
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
