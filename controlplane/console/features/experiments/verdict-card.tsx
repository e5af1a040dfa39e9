import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { Meter } from '../../components/meter';
import type { ExperimentNumbers } from '../../data/experiments';
import { texts } from '../../texts/texts';

const { experiments: words } = texts;
const NOT_ENOUGH = 'not enough data yet';

/** What the numbers mean, in words, and how far the experiment is. */
export function VerdictCard({ numbers }: { readonly numbers: ExperimentNumbers }) {
  const { verdict, explanation, visitors, neededVisitors, sampleRatio } = numbers;
  if (!sampleRatio.ok) {
    return (
      <section class="stack-small" aria-live="polite">
        <ErrorNote error={words.verdicts.mismatch} />
        <Card title={words.verdicts.causes}>
          <ul class="bullets">
            {words.verdicts.causeList.map((cause) => (
              <li key={cause}>{cause}</li>
            ))}
          </ul>
          <p class="quiet">{explanation}</p>
        </Card>
      </section>
    );
  }
  const isOpen = verdict === NOT_ENOUGH;
  return (
    <section class={isOpen ? 'verdict' : 'verdict verdict-found'} aria-live="polite">
      <h2>{isOpen ? words.verdicts.notEnough : capitalized(verdict)}</h2>
      <p>{explanation}</p>
      {isOpen && neededVisitors !== null && (
        <Meter label={words.progress} used={visitors} limit={neededVisitors} />
      )}
    </section>
  );
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
