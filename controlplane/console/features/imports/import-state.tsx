import type { Import } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { texts } from '../../texts/texts';

const TONES: Readonly<Record<Import['state'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  finished: 'good',
  failed: 'bad',
  canceled: 'warning',
};

/** Shows the state of an import in a word. */
export function ImportStateBadge({ state }: Pick<Import, 'state'>) {
  return <Badge tone={TONES[state]}>{texts.imports.states[state]}</Badge>;
}
