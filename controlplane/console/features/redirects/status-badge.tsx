import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { texts } from '../../texts/texts';

const TONES: Readonly<Record<Schemas.Status, Tone>> = {
  pending: 'warning',
  active: 'good',
  disabled: 'neutral',
  scheduled: 'accent',
  ended: 'neutral',
};

export function StatusBadge({ status }: { readonly status: Schemas.Status }) {
  return <Badge tone={TONES[status]}>{texts.redirects.status[status]}</Badge>;
}
