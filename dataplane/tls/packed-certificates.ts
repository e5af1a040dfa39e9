import { isFingerprint } from '../../shared/certificates/certificate-exchange.js';

/** `packed-line.ts` writes a certificate this way. A text that contains it has its quotes escaped. */
const MARK = Buffer.from('"fingerprint":"');
const FINGERPRINT_LENGTH = 64;
const LINE_END = 0x0a;
/** Length of `["`, with which a line begins. */
const BEFORE_HOST = 2;

/** Yields all fingerprints in lines of redirects, also those of lines that later ones replace. */
export function* fingerprintsIn(lines: Buffer): Generator<string> {
  for (const at of marksIn(lines)) {
    const start = at + MARK.length;
    const fingerprint = lines.toString('latin1', start, start + FINGERPRINT_LENGTH);
    if (isFingerprint(fingerprint)) yield fingerprint;
  }
}

/** Yields the hosts of lines that name a certificate, also those of lines that later ones replace. */
export function* hostsWithCertificates(lines: Buffer): Generator<string> {
  for (const at of marksIn(lines)) {
    const start = lines.lastIndexOf(LINE_END, at) + 1 + BEFORE_HOST;
    yield lines.toString('latin1', start, lines.indexOf('"', start));
  }
}

function* marksIn(lines: Buffer): Generator<number> {
  for (let at = lines.indexOf(MARK); at !== -1; at = lines.indexOf(MARK, at + 1)) yield at;
}
