import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { TextField } from '../components/field';
import { Form } from '../components/form';
import { useForm } from '../components/use-form';
import { pageFacts } from '../data/page-facts';
import { request } from '../data/request';
import { EmailField, EntryFrame } from '../features/session/entry';
import { openSession } from '../features/session/log-in-forms';
import { useSession } from '../features/session/session';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

export function SignUpPage() {
  const [notice, setNotice] = useState<string>();
  if (pageFacts.signup === 'closed') {
    return (
      <EntryFrame title={texts.auth.signUp.closedTitle}>
        <p>{texts.auth.signUp.closed}</p>
        <LogInLink />
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title={notice === undefined ? texts.auth.signUp.title : texts.auth.signUp.checkMail}>
      {notice === undefined ? <SignUpForm onMail={setNotice} /> : <p role="status">{notice}</p>}
      <LogInLink />
    </EntryFrame>
  );
}

function SignUpForm({ onMail }: { readonly onMail: (notice: string) => void }) {
  const [, navigate] = useLocation();
  const { begin } = useSession();
  const form = useForm({
    initial: { email: '', password: '' },
    async submit({ email, password }) {
      const answer = await request('POST', '/auth/signup', { body: { email, password } });
      // If the answer has a token, the account is active without a confirmation by mail.
      if (!('token' in answer)) return onMail(answer.message);
      await openSession(email, password);
      // The token of the answer is for programs. The console does not use it, so revoke it.
      await request('DELETE', '/auth/sessions');
      begin();
      navigate(routes.redirects, { replace: true });
    },
  });
  return (
    <Form form={form} submit={texts.auth.signUp.submit} look="primary">
      <EmailField bound={form.bind('email')} />
      <TextField
        bound={form.bind('password')}
        label={texts.auth.password}
        hint={texts.auth.passwordHint}
        type="password"
        autocomplete="new-password"
        required
      />
    </Form>
  );
}

function LogInLink() {
  return (
    <p class="entry-links">
      <span>
        {texts.auth.signUp.hasAccount} <Link href={routes.logIn}>{texts.auth.signUp.logIn}</Link>
      </span>
    </p>
  );
}
