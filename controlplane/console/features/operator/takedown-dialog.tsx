import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { DraftNote } from '../../components/draft-note';
import { SelectField, TextField } from '../../components/field';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { FieldError, useForm } from '../../components/use-form';
import { ApiError } from '../../data/api-error';
import { useTakedownChanges } from '../../data/operator';
import { texts } from '../../texts/texts';

const { takedowns: words } = texts.operator;

/** Takes down a domain, or everything that leads to a host. */
export function TakedownDialog({ onClose }: { readonly onClose: () => void }) {
  const { create } = useTakedownChanges();
  const toast = useToast();
  const form = useForm({
    initial: { kind: 'host', host: '', reason: '' },
    draft: 'new-takedown',
    async submit({ kind, host, reason }) {
      try {
        const { redirects } = await create.mutateAsync({ [kind]: host, reason });
        toast({ text: words.created(redirects) });
        onClose();
      } catch (error) {
        const isOfHost = error instanceof ApiError && error.field === 'destinationHost';
        throw isOfHost ? new FieldError('host', error.message) : error;
      }
    },
  });
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <DraftNote form={form} />
        <ErrorNote error={form.error} />
        <SelectField bound={form.bind('kind')} label={words.kind} options={words.kinds} />
        <TextField bound={form.bind('host')} label={words.host} autocomplete="off" data-autofocus />
        <TextField bound={form.bind('reason')} label={words.reason} hint={texts.operator.users.reasonHint} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{texts.shell.cancel}</Button>
          <Button type="submit" look="danger" isBusy={form.isBusy}>
            {words.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
