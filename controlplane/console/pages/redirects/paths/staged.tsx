import { type Schemas, WaymarkError } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Button } from '../../../components/button';
import { ConfirmDialog } from '../../../components/dialog';
import { Card } from '../../../components/layout';
import { EmptyState, ErrorNote, Loading, Note } from '../../../components/messages';
import { MoreButton } from '../../../components/paged-list';
import { useErrorToast, useToast } from '../../../components/toasts';
import { changedMeanwhile, useStagedChanges, useStagedDiff } from '../../../data/staged-paths';
import { DiagnosticsCard } from '../../../features/paths/diagnostics-card';
import { PathDifferences } from '../../../features/paths/path-differences';
import { StageDialog } from '../../../features/paths/stage-dialog';
import { StagedTestCard } from '../../../features/paths/staged-test-card';
import type { RedirectPageProps } from '../../../features/redirects/redirect-frame';
import { routes } from '../../../routing/routes';
import { texts } from '../../../texts/texts';

const { staged: words, title } = texts.paths;

/** The page of the staged path table: upload, compare, test, publish. */
export default function StagedPathsPage({ redirect: { id } }: RedirectPageProps) {
  const diff = useStagedDiff(id);
  const { publish, discard, restore } = useStagedChanges(id);
  const [asked, ask] = useState<'upload' | 'publish' | 'discard' | 'restore'>();
  const [overtakenBy, setOvertakenBy] = useState<readonly string[]>();
  const [diagnostics, setDiagnostics] = useState<readonly Schemas.PathDiagnostic[]>([]);
  const [, navigate] = useLocation();
  const toast = useToast();
  const fail = useErrorToast();
  const isMissing = diff.error instanceof WaymarkError && diff.error.status === 404;
  const found = isMissing ? undefined : diff.data?.pages;
  const differences = found?.flatMap(({ data }) => data) ?? [];
  const close = () => ask(undefined);
  /** Reloads the comparison, because others have changed the live table. */
  async function compareAgain(): Promise<void> {
    const { data } = await diff.refetch();
    setOvertakenBy(changedMeanwhile(differences, data?.pages.flatMap((page) => page.data) ?? []));
  }
  /** Reports the result in a toast, because the user may have left the page. */
  const undo = () => void restore.mutateAsync().then(() => toast({ text: words.restored }), fail);
  const confirmed = {
    publish: () =>
      publish.mutate(found?.[0]?.etag, {
        onSuccess({ summary }) {
          toast({ text: words.published(summary.total), undo });
          navigate(routes.redirectPart(id, 'paths'));
        },
        onError(error) {
          if (isOutdated(error)) void compareAgain();
        },
      }),
    discard: () => discard.mutate(undefined, { onSuccess: () => toast({ text: words.discarded }) }),
    restore: undo,
  };
  const uploadButton = (
    <Button look={isMissing ? 'primary' : 'secondary'} icon="transfer" onClick={() => ask('upload')}>
      {isMissing ? words.upload.open : words.upload.again}
    </Button>
  );
  const restoreButton = (
    <Button isBusy={restore.isPending} onClick={() => ask('restore')}>
      {words.restore}
    </Button>
  );
  return (
    <>
      <Link href={routes.redirectPart(id, 'paths')} class="back">
        {title}
      </Link>
      <ErrorNote error={(isOutdated(publish.error) ? undefined : publish.error) ?? discard.error} />
      {overtakenBy !== undefined && (
        <div role="alert">
          <Note icon="alert">{words.outdated(overtakenBy)}</Note>
        </div>
      )}
      {!isMissing && <ErrorNote error={diff.error} onRetry={() => void diff.refetch()} />}
      {found === undefined && !diff.error && <Loading />}
      {isMissing && (
        <Card>
          <EmptyState {...words.empty} icon="route">
            {uploadButton}
            {restoreButton}
          </EmptyState>
        </Card>
      )}
      {found?.[0] !== undefined && (
        <>
          <Card
            title={words.title}
            lead={words.lead}
            actions={
              <Button look="primary" isBusy={publish.isPending} onClick={() => ask('publish')}>
                {words.publish}
              </Button>
            }
          >
            <p>{words.summary(found[0].summary)}</p>
            <OptionChanges {...found[0].options} />
            <div class="button-row">
              {uploadButton}
              <Button look="danger" isBusy={discard.isPending} onClick={() => ask('discard')}>
                {words.discard}
              </Button>
              {restoreButton}
            </div>
          </Card>
          <DiagnosticsCard title={words.diagnostics} diagnostics={diagnostics} />
          <Card title={words.differences} flush>
            <PathDifferences differences={differences} />
          </Card>
          <MoreButton query={diff} />
          <StagedTestCard id={id} />
        </>
      )}
      {asked === 'upload' && <StageDialog id={id} onStaged={setDiagnostics} onClose={close} />}
      {asked !== undefined && asked !== 'upload' && (
        <ConfirmDialog {...words.confirm[asked]} onClose={close} onConfirm={confirmed[asked]} />
      )}
    </>
  );
}

/** Returns whether the live table has changed since it was compared. */
const isOutdated = (error: unknown) => error instanceof WaymarkError && error.status === 412;

/** Lists the options of the table that publishing would change, with their names in the API. */
function OptionChanges({ live, staged }: { readonly live: object; readonly staged: object }) {
  const before = new Map(Object.entries(live));
  const changed = Object.entries(staged).filter(([name, value]) => before.get(name) !== value);
  if (changed.length === 0) return null;
  return (
    <ul class="plain-list">
      {changed.map(([name, value]) => (
        <li key={name}>{words.option(name, String(before.get(name)), String(value))}</li>
      ))}
    </ul>
  );
}
