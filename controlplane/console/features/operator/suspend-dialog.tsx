import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { TextField } from '../../components/field';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import type { ListedUser } from '../../data/account-records';
import { useUserChanges } from '../../data/operator';
import { texts } from '../../texts/texts';

const { users: words } = texts.operator;

/** Suspends a user, with a reason. */
export function SuspendDialog({
  user,
  onClose,
}: {
  readonly user: ListedUser;
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
    <Dialog title={words.suspendTitle(name)} onClose={onClose}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <p>{words.suspendBody}</p>
        <ErrorNote error={form.error} />
        <TextField bound={form.bind('reason')} label={words.reason} hint={words.reasonHint} data-autofocus />
        <div class="dialog-actions">
          <Button onClick={onClose}>{texts.shell.cancel}</Button>
          <Button type="submit" look="danger" isBusy={form.isBusy}>
            {words.suspend}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
