import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { TextField } from '../../components/field';
import { ErrorNote } from '../../components/messages';
import { useForm } from '../../components/use-form';
import { request } from '../../data/request';
import { texts } from '../../texts/texts';

interface Props {
  readonly onLoggedIn: () => void;
}

/** Opens a session of this browser with a password. */
export const openSession = (email: string, password: string) =>
  request('POST', '/auth/session', { body: { email, password } });

/** Logging in with a password or with an access token. */
export function LogInForms({ onLoggedIn }: Props) {
  const [usesToken, setUsesToken] = useState(false);
  return (
    <>
      {usesToken ? <TokenForm onLoggedIn={onLoggedIn} /> : <PasswordForm onLoggedIn={onLoggedIn} />}
      <Button look="quiet" onClick={() => setUsesToken(!usesToken)}>
        {usesToken ? texts.auth.token.usePassword : texts.auth.logIn.useToken}
      </Button>
    </>
  );
}

function PasswordForm({ onLoggedIn }: Props) {
  const form = useForm({
    initial: { email: '', password: '' },
    async submit({ email, password }) {
      await openSession(email, password);
      onLoggedIn();
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <ErrorNote error={form.error} />
      <TextField
        bound={form.bind('email')}
        label={texts.auth.email}
        type="email"
        autocomplete="username"
        required
        data-autofocus
      />
      <TextField
        bound={form.bind('password')}
        label={texts.auth.password}
        type="password"
        autocomplete="current-password"
        required
      />
      <Button type="submit" look="primary" isBusy={form.isBusy}>
        {texts.auth.logIn.submit}
      </Button>
    </form>
  );
}

function TokenForm({ onLoggedIn }: Props) {
  const form = useForm({
    initial: { token: '' },
    async submit({ token }) {
      await request('POST', '/auth/session/token', { token: token.trim() });
      onLoggedIn();
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <ErrorNote error={form.error} />
      <TextField
        bound={form.bind('token')}
        label={texts.auth.token.label}
        hint={texts.auth.token.hint}
        type="password"
        autocomplete="off"
        required
      />
      <Button type="submit" look="primary" isBusy={form.isBusy}>
        {texts.auth.token.submit}
      </Button>
    </form>
  );
}
