import { TextField } from '../../components/field';
import { Form } from '../../components/form';
import { Card } from '../../components/layout';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { accountKey, useAccount } from '../../data/account';
import { useRefresh } from '../../data/queries';
import { request } from '../../data/request';
import { sessionsKey } from '../../data/tokens';
import { texts } from '../../texts/texts';

const { security: words } = texts.account;
const EMPTY = { currentPassword: '', newPassword: '' };

/** Changes the password, or sets the first one of a user who has none. This ends all other sessions. */
export function PasswordCard() {
  const { data: account } = useAccount();
  const refresh = useRefresh(accountKey, sessionsKey);
  const toast = useToast();
  const form = useForm({
    initial: EMPTY,
    async submit({ currentPassword, newPassword }) {
      const { message } = account?.hasPassword
        ? await request('POST', '/auth/password/change', { body: { currentPassword, newPassword } })
        : await request('POST', '/auth/password/set', { body: { newPassword } });
      form.reset(EMPTY);
      toast({ text: message });
      void refresh();
    },
  });
  if (account === undefined) return null;
  const { hasPassword, user } = account;
  return (
    <Card title={words.password} lead={!hasPassword && words.noPassword(user.email)}>
      <Form form={form} submit={hasPassword ? words.change : words.setFirst}>
        {hasPassword && (
          <TextField
            bound={form.bind('currentPassword')}
            label={texts.auth.currentPassword}
            type="password"
            autocomplete="current-password"
          />
        )}
        <TextField
          bound={form.bind('newPassword')}
          label={texts.auth.newPassword}
          hint={texts.auth.passwordHint}
          type="password"
          autocomplete="new-password"
        />
      </Form>
    </Card>
  );
}
