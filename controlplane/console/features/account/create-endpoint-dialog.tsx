import { Button } from '../../components/button';
import { Choices } from '../../components/choices';
import { Dialog } from '../../components/dialog';
import { DraftNote } from '../../components/draft-note';
import { TextField } from '../../components/field';
import { ErrorNote } from '../../components/messages';
import { useForm } from '../../components/use-form';
import { EVENTS, useEndpointChanges } from '../../data/webhooks';
import { texts } from '../../texts/texts';

const { webhooks: words } = texts.account;

/** Adds a webhook endpoint. @param onCreated gets the secret of the endpoint, which is shown once */
export function CreateEndpointDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
}) {
  const { create } = useEndpointChanges();
  const form = useForm<{ url: string; events: readonly string[] }>({
    initial: { url: '', events: EVENTS },
    draft: 'new-endpoint',
    async submit(values) {
      const { secret } = await create.mutateAsync(values);
      onCreated(secret);
    },
  });
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <DraftNote form={form} />
        <ErrorNote error={form.error} />
        <TextField
          bound={form.bind('url')}
          label={words.url}
          hint={words.urlHint}
          placeholder="https://hooks.example.com/waymark"
          inputMode="url"
          autocomplete="off"
          data-autofocus
        />
        <Choices bound={form.bind('events')} label={words.events} options={EVENTS} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{texts.shell.cancel}</Button>
          <Button type="submit" look="primary" isBusy={form.isBusy}>
            {words.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
