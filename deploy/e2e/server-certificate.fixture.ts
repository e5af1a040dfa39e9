import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** PEM files: an authority that is trusted only on request, and a certificate that it issued. */
export interface CertificateFiles {
  readonly authority: string;
  readonly key: string;
  readonly certificate: string;
  /** Key and certificate in one file, the form that Kafka reads. */
  readonly both: string;
}

/** Makes them with `openssl` in `folder`, for a server of the given DNS name. @throws without openssl */
export function makeServerCertificate(folder: string, dnsName: string): CertificateFiles {
  const file = (name: string) => path.join(folder, name);
  const files = {
    authority: file('authority.pem'),
    key: file('server-key.pem'),
    certificate: file('server.pem'),
    both: file('server-both.pem'),
  };
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const request = ['req', '-x509', '-days', '2', ...newKey];
  const authorityKey = file('authority-key.pem');
  openssl(...request, '-subj', '/CN=test authority', '-keyout', authorityKey, '-out', files.authority);
  const names = ['-addext', `subjectAltName=DNS:${dnsName}`, '-addext', 'basicConstraints=critical,CA:FALSE'];
  const issuer = ['-CA', files.authority, '-CAkey', authorityKey];
  openssl(
    ...[...request, ...issuer, ...names, '-subj', `/CN=${dnsName}`],
    ...['-keyout', files.key, '-out', files.certificate],
  );
  writeFileSync(files.both, readFileSync(files.key, 'utf8') + readFileSync(files.certificate, 'utf8'));
  return files;
}
