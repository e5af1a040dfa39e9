import { useQueryClient } from '@tanstack/preact-query';
import { Button } from '../../components/button';
import { TextField } from '../../components/field';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { useAccount } from '../../data/account';
import { request } from '../../data/request';
import { texts } from '../../texts/texts';

const { security: words } = texts.account;
const EMPTY = { currentPassword: '', newPassword: '' };

/** Changes the password. The operator has none. */
export function PasswordCard() {
  const { data: account } = useAccount();
  const client = useQueryClient();
  const toast = useToast();
  const form = useForm({
    initial: EMPTY,
    async submit(values) {
      const { message } = await request<{ message: string }>('POST', '/auth/password/change', {
        body: values,
      });
      form.reset(EMPTY);
      toast({ text: message });
      void client.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  if (account?.isOperator) {
    return (
      <Card title={words.password}>
        <p class="quiet">{words.noPassword}</p>
      </Card>
    );
  }
  return (
    <Card title={words.password}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <ErrorNote error={form.error} />
        <TextField
          bound={form.bind('currentPassword')}
          label={texts.auth.currentPassword}
          type="password"
          autocomplete="current-password"
        />
        <TextField
          bound={form.bind('newPassword')}
          label={texts.auth.newPassword}
          hint={texts.auth.passwordHint}
          type="password"
          autocomplete="new-password"
        />
        <div>
          <Button type="submit" isBusy={form.isBusy}>
            {words.change}
          </Button>
        </div>
      </form>
    </Card>
  );
}
