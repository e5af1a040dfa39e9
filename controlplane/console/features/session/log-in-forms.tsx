import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { TextField } from '../../components/field';
import { Form } from '../../components/form';
import { useForm } from '../../components/use-form';
import { request } from '../../data/request';
import { texts } from '../../texts/texts';
import { EmailField } from './entry';

interface Props {
  readonly onLoggedIn: () => void;
}

/** Starts a session in this browser with a password. */
export const openSession = (email: string, password: string) =>
  request('POST', '/auth/session', { body: { email, password } });

/** Forms to log in with a password or an access token. */
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
    <Form form={form} submit={texts.auth.logIn.submit} look="primary">
      <EmailField bound={form.bind('email')} />
      <TextField
        bound={form.bind('password')}
        label={texts.auth.password}
        type="password"
        autocomplete="current-password"
        required
      />
    </Form>
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
    <Form form={form} submit={texts.auth.token.submit} look="primary">
      <TextField
        bound={form.bind('token')}
        label={texts.auth.token.label}
        hint={texts.auth.token.hint}
        type="password"
        required
      />
    </Form>
  );
}
