import type { Schemas } from '@waymark/client';
import type { Tone } from '../../components/badge';

/** Color of each state of a certificate. */
export const CERTIFICATE_TONES: Readonly<Record<Schemas.Certificate['state'], Tone>> = {
  waiting_for_dns: 'warning',
  ordering: 'accent',
  issued: 'good',
  renewing: 'accent',
  failed: 'bad',
};
