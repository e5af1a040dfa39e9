import type { Schemas } from '@waymark/client';
import { Button, LinkButton } from '../../components/button';
import { Card, Facts } from '../../components/layout';
import { EmptyState, ErrorNote, Note } from '../../components/messages';
import { dateText } from '../../components/times';
import { isReplaying, useCancelReplay } from '../../data/replay';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { ChangeTable } from './change-table';
import { ReplayState } from './replay-state';
import { GapCard, RuleCard, VersionCard } from './rule-cards';

const { replay: words } = texts;

/** Shows the progress of a replay, then its result. */
export function ReplayResult({ replay }: { readonly replay: Schemas.Replay }) {
  const { redirectId, state, visits, error } = replay;
  return (
    <>
      <div class="part-head">
        <p>
          <ReplayState state={state} />{' '}
          <span class="quiet">{words.period(dateText(replay.start), dateText(replay.end))}</span>
        </p>
        <LinkButton to={routes.redirectPart(redirectId, 'replay')}>{words.again}</LinkButton>
      </div>
      {isReplaying(replay) && <Progress replay={replay} />}
      {error && <ErrorNote error={error.message} />}
      {state === 'finished' && visits.total === 0 ? (
        <Card>
          <EmptyState {...words.none} icon="clock" />
        </Card>
      ) : (
        visits.replayed > 0 && (
          <>
            <OutcomeCard replay={replay} />
            <ChangeTable replay={replay} />
            <RuleCard rules={replay.rules} />
            <VersionCard replay={replay} />
            <GapCard unjudged={replay.unjudged} />
          </>
        )
      )}
    </>
  );
}

function Progress({ replay: { id, progress } }: { readonly replay: Schemas.Replay }) {
  const cancel = useCancelReplay(id);
  return (
    <Card>
      <label class="meter">
        <span class="meter-head">
          {words.progress} <strong>{words.percent(progress)}</strong>
        </span>
        <progress value={progress} max={1} />
      </label>
      <ErrorNote error={cancel.error} />
      <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
        {words.cancel}
      </Button>
    </Card>
  );
}

const DETAILS = ['otherDestination', 'otherRule', 'otherVariant', 'newLoops'] as const;
const PARTS = ['unchanged', 'changed', 'unjudged'] as const;

/** Shows the visits by outcome, with a bar of their shares. */
function OutcomeCard({ replay: { visits, loop } }: { readonly replay: Schemas.Replay }) {
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
