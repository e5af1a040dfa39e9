import { useLiveVisits } from '../../data/statistics';
import { texts } from '../../texts/texts';

const { live: words } = texts.statistics;

/** Shows the visits of the last minute. Refreshes every few seconds. */
export function LiveVisits({ id }: { readonly id: string }) {
  const { data: visits } = useLiveVisits(id);
  return (
    <p class="live">
      <span class={visits ? 'live-dot live-dot-on' : 'live-dot'} aria-hidden="true" />
      {visits === undefined ? words.unknown : words.visits(visits)}
    </p>
  );
}
