import { Note } from '../../components/messages';
import type { Statistics } from '../../data/statistics';
import { texts } from '../../texts/texts';

const { statistics: words } = texts;

/** Names the visits that the numbers lack: not sampled, lost, or not recorded at all. */
export function QualityNotes({ meta }: { readonly meta: Statistics['meta'] }) {
  const { sampling, delivery, recording } = meta;
  const paused = recording.active ? undefined : words.notes.paused[recording.reason ?? ''];
  return (
    <>
      {paused && <Note icon="alert">{paused}</Note>}
      {sampling.rate > 0 && sampling.rate < 1 && (
        <Note icon="alert">
          {words.notes.sampled(sampling.rate)}{' '}
          {words.notes.estimated(texts.shell.number(sampling.estimatedTotalHits))}
        </Note>
      )}
      {delivery.lost > 0 && <Note icon="alert">{words.notes.lost(texts.shell.number(delivery.lost))}</Note>}
    </>
  );
}

/** The main numbers, each with its change from the previous period. */
export function NumberCards({ summary }: { readonly summary: Statistics['data']['comparison']['summary'] }) {
  const names = Object.keys(words.numbers) as (keyof typeof words.numbers)[];
  return (
    <section aria-label={words.title}>
      <dl class="numbers">
        {names.map((name) => (
          <div key={name} class="number-card">
            <dt>{words.numbers[name]}</dt>
            <dd>
              <strong>{texts.shell.number(summary.current[name])}</strong>
              <Change percent={summary.change[name]} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{words.comparedTo}</p>
    </section>
  );
}

function Change({ percent }: { readonly percent: number | null }) {
  if (percent === null) return <span class="quiet">{words.noChange}</span>;
  const tone = percent === 0 ? 'quiet' : percent > 0 ? 'change-up' : 'change-down';
  return <span class={tone}>{words.change(percent)}</span>;
}
