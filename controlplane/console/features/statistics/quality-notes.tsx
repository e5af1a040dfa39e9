import { Note } from '../../components/messages';
import type { Statistics } from '../../data/statistics';
import { texts } from '../../texts/texts';

const { notes: words } = texts.statistics;

/** Says which visits the numbers lack: sampled, lost, or not recorded at all. */
export function QualityNotes({ meta }: { readonly meta: Statistics['meta'] }) {
  const { sampling, delivery, recording } = meta;
  const paused = recording.active ? undefined : words.paused[recording.reason ?? ''];
  return (
    <>
      {paused && <Note icon="alert">{paused}</Note>}
      {sampling.rate > 0 && sampling.rate < 1 && (
        <Note icon="alert">
          {words.sampled(sampling.rate)} {words.estimated(texts.shell.number(sampling.estimatedTotalHits))}
        </Note>
      )}
      {delivery.lost > 0 && <Note icon="alert">{words.lost(texts.shell.number(delivery.lost))}</Note>}
    </>
  );
}
