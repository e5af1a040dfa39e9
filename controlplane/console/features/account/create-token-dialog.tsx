import { Choices } from '../../components/choices';
import { SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
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
    <FormDialog title={words.createTitle} form={form} submit={words.create} onClose={onClose}>
      <TextField bound={form.bind('name')} label={words.name} hint={words.nameHint} data-autofocus />
      <Choices bound={form.bind('scopes')} label={words.scopes} options={SCOPES} />
      <SelectField bound={form.bind('expiresInDays')} label={words.expires} options={words.lifetimes} />
    </FormDialog>
  );
}
