import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { ErrorNote, ProblemList } from '../../components/messages';
import { timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { type Draft, outdatedOf, useDraftChanges } from '../../data/drafts';
import { texts } from '../../texts/texts';
import { DifferenceTable } from '../history/difference-table';
import { DiagnosticsCard } from '../paths/diagnostics-card';

const { problems: words, outdated } = texts.drafts;

/** Lists the reasons why the API would refuse, or has refused, to publish the draft. */
export function DraftProblems({ draft }: { readonly draft: Draft }) {
  const { errors, lastError, brokenExamples, diagnostics } = draft;
  const refusals = errors.filter(({ code }) => code !== 'EXAMPLES_BROKEN');
  return (
    <>
      {lastError && <ErrorNote error={`${words.failed(timeText(lastError.at))} ${lastError.message}`} />}
      {refusals.length > 0 && (
        <Card title={words.refused}>
          <ProblemList problems={refusals.map(({ field, message }) => ({ name: field ?? '', message }))} />
        </Card>
      )}
      {brokenExamples.length > 0 && (
        <Card title={words.broken}>
          <ProblemList problems={brokenExamples} />
        </Card>
      )}
      <DiagnosticsCard title={words.notes} diagnostics={diagnostics} />
    </>
  );
}

/** Lists the changes by others since the draft was begun. Because of them the draft was not published. */
export function OutdatedCard({
  id,
  draft,
  error,
  onDone,
}: {
  readonly id: string;
  readonly draft: Draft;
  readonly error: unknown;
  readonly onDone: () => void;
}) {
  const { rebase } = useDraftChanges(id);
  const toast = useToast();
  const refusal = outdatedOf(error);
  if (refusal === undefined) return null;
  const { changes, currentVersion } = refusal;
  return (
    <Card title={outdated.title} lead={outdated.body}>
      <ErrorNote error={error} />
      {changes === null ? (
        <p class="quiet">{outdated.unknown}</p>
      ) : (
        <DifferenceTable label={outdated.what} differences={changes} ruleNames={new Map()} />
      )}
      <ErrorNote error={rebase.error} />
      <Button
        isBusy={rebase.isPending}
        onClick={() =>
          rebase.mutate(
            { ...draft, baseVersion: currentVersion },
            {
              onSuccess() {
                toast({ text: outdated.accepted });
                onDone();
              },
            },
          )
        }
      >
        {outdated.accept}
      </Button>
    </Card>
  );
}
