import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Form } from '../components/form';
import { useForm } from '../components/use-form';
import { request } from '../data/request';
import { EmailField, EntryFrame } from '../features/session/entry';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

const { forgot } = texts.auth;

export function ForgotPasswordPage() {
  const [sent, setSent] = useState<string>();
  const form = useForm({
    initial: { email: '' },
    async submit({ email }) {
      const { message } = await request('POST', '/auth/password/forgot', {
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
        <Form form={form} submit={forgot.submit} look="primary">
          <p class="lead">{forgot.lead}</p>
          <EmailField bound={form.bind('email')} />
        </Form>
      )}
      <p class="entry-links">
        <Link href={routes.logIn}>{forgot.back}</Link>
      </p>
    </EntryFrame>
  );
}
