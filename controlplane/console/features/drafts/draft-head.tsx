import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Badge } from '../../components/badge';
import { Button, LinkButton } from '../../components/button';
import { ConfirmDialog } from '../../components/dialog';
import { FieldError, fieldsOf, SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { ErrorNote, Note } from '../../components/messages';
import { agoText, timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { type Draft, outdatedOf, useDraftChanges } from '../../data/drafts';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { drafts: words } = texts;
const { publishDialog: dialogWords, published } = words;

/** Shows the base version of the draft, and the actions on it. */
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

/**
 * Publishes the draft now, or at a given time.
 *
 * @param onRefused called if others have changed the redirect since the draft was begun
 */
function PublishDialog({
  id,
  onRefused,
  onClose,
}: {
  readonly id: string;
  readonly onRefused: (error: unknown) => void;
  readonly onClose: () => void;
}) {
  const { publish } = useDraftChanges(id);
  const [, navigate] = useLocation();
  const toast = useToast();
  const form = useForm<{ readonly when: keyof typeof dialogWords.whens; readonly at: string }>({
    initial: { when: 'now', at: '' },
    async submit({ when, at }) {
      if (when === 'later' && at === '') throw new FieldError('at', dialogWords.atNeeded);
      const time = when === 'later' ? new Date(at).toISOString() : null;
      try {
        await publish.mutateAsync(time);
      } catch (error) {
        if (outdatedOf(error) === undefined) throw error;
        onRefused(error);
        onClose();
        return;
      }
      onClose();
      toast({ text: time === null ? published : dialogWords.planned(timeText(time)) });
      if (time === null) navigate(routes.redirectPart(id, 'history'));
    },
  });
  const isLater = form.values.when === 'later';
  const field = fieldsOf(form, dialogWords);
  return (
    <FormDialog
      title={dialogWords.title}
      form={form}
      submit={isLater ? dialogWords.submitLater : dialogWords.submitNow}
      onClose={onClose}
    >
      <p>{dialogWords.body}</p>
      <SelectField {...field('when')} options={dialogWords.whens} />
      {isLater && <TextField {...field('at')} type="datetime-local" />}
    </FormDialog>
  );
}
