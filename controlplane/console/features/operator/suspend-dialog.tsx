import type { Schemas } from '@waymark/client';
import { TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { useUserChanges } from '../../data/operator';
import { texts } from '../../texts/texts';

const { users: words } = texts.operator;

/** Suspends a user, with a reason. */
export function SuspendDialog({
  user,
  onClose,
}: {
  readonly user: Schemas.ListedUser;
  readonly onClose: () => void;
}) {
  const { suspend } = useUserChanges();
  const toast = useToast();
  const name = user.email ?? words.noEmail;
  const form = useForm({
    initial: { reason: '' },
    async submit({ reason }) {
      await suspend.mutateAsync({ id: user.id, reason });
      toast({ text: words.suspendedToast(name) });
      onClose();
    },
  });
  return (
    <FormDialog
      title={words.suspendTitle(name)}
      form={form}
      submit={words.suspend}
      look="danger"
      onClose={onClose}
    >
      <p>{words.suspendBody}</p>
      <TextField bound={form.bind('reason')} label={words.reason} hint={words.reasonHint} data-autofocus />
    </FormDialog>
  );
}
