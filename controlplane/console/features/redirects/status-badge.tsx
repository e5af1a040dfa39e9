import { Badge, type Tone } from '../../components/badge';
import type { RedirectStatus } from '../../data/records';
import { texts } from '../../texts/texts';

const TONES: Readonly<Record<RedirectStatus, Tone>> = {
  pending: 'warning',
  active: 'good',
  disabled: 'neutral',
  scheduled: 'accent',
  ended: 'neutral',
};

export function StatusBadge({ status }: { readonly status: RedirectStatus }) {
  return <Badge tone={TONES[status]}>{texts.redirects.status[status]}</Badge>;
}
