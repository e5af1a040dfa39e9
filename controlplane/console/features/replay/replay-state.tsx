import { Badge, type Tone } from '../../components/badge';
import type { Replay } from '../../data/replay';
import { texts } from '../../texts/texts';

const TONES: Readonly<Record<Replay['state'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  finished: 'good',
  failed: 'bad',
  canceled: 'neutral',
};

export function ReplayState({ state }: { readonly state: Replay['state'] }) {
  return <Badge tone={TONES[state]}>{texts.replay.states[state]}</Badge>;
}
