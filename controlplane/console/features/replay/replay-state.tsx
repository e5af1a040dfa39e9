import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { texts } from '../../texts/texts';

const TONES: Readonly<Record<Schemas.Replay['state'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  finished: 'good',
  failed: 'bad',
  canceled: 'neutral',
};

export function ReplayState({ state }: { readonly state: Schemas.Replay['state'] }) {
  return <Badge tone={TONES[state]}>{texts.replay.states[state]}</Badge>;
}
