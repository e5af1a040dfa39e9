import type { Tone } from '../../components/badge';
import type { Certificate } from '../../data/records';

/** Color of each state of a certificate. */
export const CERTIFICATE_TONES: Readonly<Record<Certificate['state'], Tone>> = {
  waiting_for_dns: 'warning',
  ordering: 'accent',
  issued: 'good',
  renewing: 'accent',
  failed: 'bad',
};
