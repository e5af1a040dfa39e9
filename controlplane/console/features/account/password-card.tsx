import { Button } from '../../components/button';
import { type Bound, TextField } from '../../components/field';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { accountKey, useAccount } from '../../data/account';
import { useRefresh } from '../../data/queries';
import { request } from '../../data/request';
import { sessionsKey } from '../../data/tokens';
import { texts } from '../../texts/texts';

const { security: words } = texts.account;
const EMPTY = { currentPassword: '', newPassword: '' };

/** Changes the password, or sets the first one of a user who has none. */
export function PasswordCard() {
  const { data: account } = useAccount();
  if (account === undefined) return null;
  return (
    <Card
      title={words.password}
      {...(!account.hasPassword && { lead: words.noPassword(account.user.email) })}
    >
      {account.hasPassword ? <ChangeForm /> : <FirstForm />}
    </Card>
  );
}

function ChangeForm() {
  const finish = useFinish();
  const form = useForm({
    initial: EMPTY,
    async submit(values) {
      const { message } = await request('POST', '/auth/password/change', {
        body: values,
      });
      form.reset(EMPTY);
      finish(message);
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <ErrorNote error={form.error} />
      <TextField
        bound={form.bind('currentPassword')}
        label={texts.auth.currentPassword}
        type="password"
        autocomplete="current-password"
      />
      <NewPasswordField bound={form.bind('newPassword')} />
      <div>
        <Button type="submit" isBusy={form.isBusy}>
          {words.change}
        </Button>
      </div>
    </form>
  );
}

function FirstForm() {
  const finish = useFinish();
  const refresh = useRefresh(accountKey);
  const form = useForm({
    initial: { newPassword: '' },
    async submit(values) {
      const { message } = await request('POST', '/auth/password/set', { body: values });
      finish(message);
      void refresh();
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <ErrorNote error={form.error} />
      <NewPasswordField bound={form.bind('newPassword')} />
      <div>
        <Button type="submit" isBusy={form.isBusy}>
          {words.setFirst}
        </Button>
      </div>
    </form>
  );
}

function NewPasswordField({ bound }: { readonly bound: Bound<string> }) {
  return (
    <TextField
      bound={bound}
      label={texts.auth.newPassword}
      hint={texts.auth.passwordHint}
      type="password"
      autocomplete="new-password"
    />
  );
}

/** Returns a function that shows the answer. All other sessions are ended then. */
function useFinish(): (message: string) => void {
  const refresh = useRefresh(sessionsKey);
  const toast = useToast();
  return (message) => {
    toast({ text: message });
    void refresh();
  };
}
