import { useLocation } from 'wouter-preact';
import { FieldError, SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { outdatedOf, useDraftChanges } from '../../data/drafts';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { publishDialog: words, published } = texts.drafts;

/** Publishes the draft now, or at a given time. @param onRefused called if others have changed the redirect meanwhile */
export function PublishDialog({
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
  const form = useForm<{ readonly when: keyof typeof words.whens; readonly at: string }>({
    initial: { when: 'now', at: '' },
    async submit({ when, at }) {
      if (when === 'later' && at === '') throw new FieldError('at', words.atNeeded);
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
      toast({ text: time === null ? published : words.planned(timeText(time)) });
      if (time === null) navigate(routes.redirectPart(id, 'history'));
    },
  });
  const isLater = form.values.when === 'later';
  return (
    <FormDialog
      title={words.title}
      form={form}
      submit={isLater ? words.submitLater : words.submitNow}
      onClose={onClose}
    >
      <p>{words.body}</p>
      <SelectField bound={form.bind('when')} label={words.when} options={words.whens} />
      {isLater && (
        <TextField bound={form.bind('at')} label={words.at} hint={words.atHint} type="datetime-local" />
      )}
    </FormDialog>
  );
}
