import { Button } from '../../components/button';
import { Choices } from '../../components/choices';
import { Dialog } from '../../components/dialog';
import { DraftNote } from '../../components/draft-note';
import { SelectField, TextField } from '../../components/field';
import { ErrorNote } from '../../components/messages';
import { useForm } from '../../components/use-form';
import { SCOPES, useTokenChanges } from '../../data/tokens';
import { texts } from '../../texts/texts';

const { tokens: words } = texts.account;
const NO_END = '0';

/** Creates an access token. @param onCreated gets the token itself, which is shown once */
export function CreateTokenDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}) {
  const { create } = useTokenChanges();
  const form = useForm<{ name: string; scopes: readonly string[]; expiresInDays: string }>({
    initial: { name: '', scopes: ['redirects:read'], expiresInDays: '90' },
    draft: 'new-token',
    async submit({ name, scopes, expiresInDays }) {
      const days = expiresInDays === NO_END ? null : Number(expiresInDays);
      const { token } = await create.mutateAsync({ name, scopes, expiresInDays: days });
      onCreated(token);
    },
  });
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <DraftNote form={form} />
        <ErrorNote error={form.error} />
        <TextField
          bound={form.bind('name')}
          label={words.name}
          hint={words.nameHint}
          autocomplete="off"
          data-autofocus
        />
        <Choices bound={form.bind('scopes')} label={words.scopes} options={SCOPES} />
        <SelectField bound={form.bind('expiresInDays')} label={words.expires} options={words.lifetimes} />
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
