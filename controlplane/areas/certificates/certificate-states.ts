/** The states of a certificate, as the API shows them. */
export const CERTIFICATE_STATES = ['waiting_for_dns', 'ordering', 'issued', 'renewing', 'failed'] as const;
export type CertificateState = (typeof CERTIFICATE_STATES)[number];

/**
 * - `checked`: DNS and CAA allow an order.
 * - `dnsWrong`: DNS or CAA does not allow an order.
 * - `issued`: the authority gave a certificate.
 * - `refused`: the order failed for any reason.
 * - `renewalDue`: the certificate must be replaced.
 * - `keyLost`: the private key cannot be decrypted.
 */
export type CertificateEvent = 'checked' | 'dnsWrong' | 'issued' | 'refused' | 'renewalDue' | 'keyLost';

/**
 * The next state by state and event. A renewal that fails stays in a renewal state, because the old certificate is
 * still served. `failed` means that the host has no certificate.
 */
// biome-ignore format: a table is read by its columns
const NEXT: Readonly<Record<CertificateState, Readonly<Record<CertificateEvent, CertificateState>>>> = {
  waiting_for_dns: { checked: 'ordering', dnsWrong: 'waiting_for_dns', issued: 'issued', refused: 'failed',   renewalDue: 'waiting_for_dns', keyLost: 'waiting_for_dns' },
  ordering:        { checked: 'ordering', dnsWrong: 'waiting_for_dns', issued: 'issued', refused: 'failed',   renewalDue: 'ordering',        keyLost: 'ordering'        },
  issued:          { checked: 'issued',   dnsWrong: 'issued',          issued: 'issued', refused: 'issued',   renewalDue: 'renewing',        keyLost: 'waiting_for_dns' },
  renewing:        { checked: 'renewing', dnsWrong: 'renewing',        issued: 'issued', refused: 'renewing', renewalDue: 'renewing',        keyLost: 'waiting_for_dns' },
  failed:          { checked: 'ordering', dnsWrong: 'waiting_for_dns', issued: 'issued', refused: 'failed',   renewalDue: 'failed',          keyLost: 'failed'          },
};

/** Returns the state that follows. */
export function nextState(state: CertificateState, event: CertificateEvent): CertificateState {
  return NEXT[state][event];
}
