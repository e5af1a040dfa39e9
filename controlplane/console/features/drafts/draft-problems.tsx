import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { type Draft, outdatedOf, useDraftChanges } from '../../data/drafts';
import { texts } from '../../texts/texts';
import { DifferenceTable } from '../history/difference-table';

const { problems: words, outdated } = texts.drafts;

/** Why the draft would be refused, or was. */
export function DraftProblems({ draft }: { readonly draft: Draft }) {
  const { errors, lastError, brokenExamples, diagnostics } = draft;
  const refusals = errors.filter(({ code }) => code !== 'EXAMPLES_BROKEN');
  return (
    <>
      {lastError && <ErrorNote error={`${words.failed(timeText(lastError.at))} ${lastError.message}`} />}
      <Problems
        title={words.refused}
        problems={refusals.map(({ field, message }) => ({ name: field ?? '', message }))}
      />
      <Problems title={words.broken} problems={brokenExamples} />
      <Problems
        title={words.notes}
        problems={diagnostics.map(({ source, message }) => ({ name: source, message }))}
      />
    </>
  );
}

function Problems({
  title,
  problems,
}: {
  readonly title: string;
  readonly problems: readonly { readonly name: string; readonly message: string }[];
}) {
  if (problems.length === 0) return null;
  return (
    <Card title={title}>
      <ul class="problems">
        {problems.map(({ name, message }) => (
          <li key={`${name} ${message}`}>
            {name !== '' && <strong>{name}</strong>}
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** What others have changed since the draft was begun, which is why it was not published. */
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
      <div>
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
      </div>
    </Card>
  );
}
