import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  bits,
  ECDSA_WITH_SHA256,
  element,
  SUBJECT_ALT_NAME,
  sequence,
  TAG,
} from '../../../../shared/certificates/issue-certificate.js';

const EXTENSION_REQUEST = Buffer.from('06092a864886f70d01090e', 'hex');
const DNS_NAME = 0x82;
const ATTRIBUTES = 0xa0;

/**
 * Returns a request for a certificate of one name, in DER (PKCS #10, RFC 2986). The subject is empty: authorities read
 * the alternative names.
 *
 * @param host ASCII
 * @param privateKey EC
 */
export function createCsr(host: string, privateKey: KeyObject): Buffer {
  const names = sequence(element(DNS_NAME, Buffer.from(host, 'ascii')));
  const extensions = sequence(sequence(SUBJECT_ALT_NAME, element(TAG.octets, names)));
  const attribute = sequence(EXTENSION_REQUEST, element(TAG.set, extensions));
  const info = sequence(
    element(TAG.integer, Buffer.from([0])),
    sequence(),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    element(ATTRIBUTES, attribute),
  );
  return sequence(info, ECDSA_WITH_SHA256, bits(sign('sha256', info, privateKey)));
}
