import type { Schemas } from '@waymark/client';
import { Card, Facts } from '../../components/layout';
import { ErrorNote, Note } from '../../components/messages';
import { texts } from '../../texts/texts';

const { replay: words } = texts;
const DETAILS = ['otherDestination', 'otherRule', 'otherVariant', 'newLoops'] as const;
const PARTS = ['unchanged', 'changed', 'unjudged'] as const;

/** Visits by outcome, with a bar that shows their shares. */
export function OutcomeCard({ replay: { visits, loop } }: { readonly replay: Schemas.Replay }) {
  const { replayed, estimatedTotal } = visits;
  const shareOf = (count: number) => (replayed === 0 ? 0 : count / replayed);
  return (
    <Card title={words.outcomes.title}>
      {loop.length > 0 && <ErrorNote error={words.loop(loop.join(' → '))} />}
      <div class="outcome-bar" aria-hidden="true">
        {PARTS.map((part) => (
          <span key={part} class={`outcome-${part}`} style={{ width: `${100 * shareOf(visits[part])}%` }} />
        ))}
      </div>
      <dl class="outcomes">
        {PARTS.map((part) => (
          <div key={part}>
            <dt>
              <span class={`swatch outcome-${part}`} aria-hidden="true" />
              {words.outcomes[part]}
            </dt>
            <dd>
              <strong>{texts.shell.number(visits[part])}</strong> {words.percent(shareOf(visits[part]))}
            </dd>
          </div>
        ))}
      </dl>
      {visits.changed > 0 ? (
        <Facts
          facts={DETAILS.map((name) => [
            words.outcomes[name],
            visits[name] > 0 ? texts.shell.number(visits[name]) : null,
          ])}
        />
      ) : (
        <p class="quiet">{words.same}</p>
      )}
      {replayed < estimatedTotal && <Note>{words.sampled(replayed, estimatedTotal)}</Note>}
    </Card>
  );
}
