import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../components/button';
import { TextField } from '../components/field';
import { ErrorNote } from '../components/messages';
import { useForm } from '../components/use-form';
import { request } from '../data/request';
import { EntryFrame } from '../features/session/entry-frame';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

const { forgot } = texts.auth;

export function ForgotPasswordPage() {
  const [sent, setSent] = useState<string>();
  const form = useForm({
    initial: { email: '' },
    async submit({ email }) {
      const { message } = await request<{ message: string }>('POST', '/auth/password/forgot', {
        body: { email },
      });
      setSent(message);
    },
  });
  return (
    <EntryFrame title={sent === undefined ? forgot.title : forgot.sent}>
      {sent !== undefined ? (
        <p role="status">{sent}</p>
      ) : (
        <form class="form" onSubmit={form.onSubmit} noValidate>
          <p class="lead">{forgot.lead}</p>
          <ErrorNote error={form.error} />
          <TextField
            bound={form.bind('email')}
            label={texts.auth.email}
            type="email"
            autocomplete="username"
            required
          />
          <Button type="submit" look="primary" isBusy={form.isBusy}>
            {forgot.submit}
          </Button>
        </form>
      )}
      <p class="entry-links">
        <Link href={routes.logIn}>{forgot.back}</Link>
      </p>
    </EntryFrame>
  );
}
