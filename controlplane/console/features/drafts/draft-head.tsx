import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge';
import { Button, LinkButton } from '../../components/button';
import { ConfirmDialog } from '../../components/dialog';
import { ErrorNote, Note } from '../../components/messages';
import { agoText, timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { type Draft, useDraftChanges } from '../../data/drafts';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { PublishDialog } from './publish-dialog';

const { drafts: words } = texts;

/** What the draft is based on, and what can be done with it. */
export function DraftHead({
  id,
  draft,
  onRefused,
}: {
  readonly id: string;
  readonly draft: Draft;
  readonly onRefused: (error: unknown) => void;
}) {
  const { discard } = useDraftChanges(id);
  const [open, setOpen] = useState<'publish' | 'discard'>();
  const toast = useToast();
  const { baseVersion, updatedAt, updatedBy, publishAt } = draft;
  return (
    <>
      <div class="part-head">
        <p class="quiet">
          <Badge tone="accent">{words.title}</Badge> {words.basedOn(baseVersion)}
          {' · '}
          {words.savedBy(updatedBy.email ?? texts.history.byService, agoText(updatedAt))}
        </p>
        <div class="button-row">
          <Button look="danger" onClick={() => setOpen('discard')}>
            {words.discard}
          </Button>
          <LinkButton to={routes.redirectPart(id, 'replay')}>{words.replay}</LinkButton>
          <Button look="primary" onClick={() => setOpen('publish')}>
            {words.publish}
          </Button>
        </div>
      </div>
      {publishAt !== null && <Note>{words.scheduled(timeText(publishAt))}</Note>}
      <ErrorNote error={discard.error} />
      {open === 'publish' && (
        <PublishDialog id={id} onRefused={onRefused} onClose={() => setOpen(undefined)} />
      )}
      {open === 'discard' && (
        <ConfirmDialog
          title={words.discardTitle}
          body={words.discardBody}
          action={words.discard}
          onClose={() => setOpen(undefined)}
          onConfirm={() => discard.mutate(undefined, { onSuccess: () => toast({ text: words.discarded }) })}
        />
      )}
    </>
  );
}
