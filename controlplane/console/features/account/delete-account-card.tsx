import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { timeText } from '../../components/times';
import { useForm } from '../../components/use-form';
import { accountKey, useAccount } from '../../data/account';
import { useRefresh } from '../../data/queries';
import { request } from '../../data/request';
import { texts } from '../../texts/texts';

const { security: words } = texts.account;

/** Deletes the account, or undoes this. The operator's account cannot be deleted. */
export function DeleteAccountCard() {
  const { data: account } = useAccount();
  const refresh = useRefresh(accountKey);
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  if (account === undefined || account.isOperator) return null;
  if (account.eraseAt !== null) {
    return (
      <Card title={words.deleteAccount} lead={words.closing(timeText(account.eraseAt))}>
        <ErrorNote error={problem} />
        <div>
          <Button
            look="primary"
            onClick={() => void request('POST', '/auth/user/restore', { body: {} }).then(refresh, setProblem)}
          >
            {words.restore}
          </Button>
        </div>
      </Card>
    );
  }
  return (
    <Card title={words.deleteAccount} lead={words.deleteBody}>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          {words.deleteAccount}
        </Button>
      </div>
      {isAsking && (
        <DeleteAccountDialog
          onClose={() => setAsking(false)}
          onDeleted={() => {
            setAsking(false);
            void refresh();
          }}
        />
      )}
    </Card>
  );
}

/** Asks for the password. */
function DeleteAccountDialog({
  onClose,
  onDeleted,
}: {
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const form = useForm({
    initial: { password: '' },
    async submit({ password }) {
      await request('DELETE', '/auth/user', { body: { password } });
      onDeleted();
    },
  });
  return (
    <FormDialog
      title={words.deleteAccount}
      form={form}
      submit={words.deleteAccount}
      look="danger"
      onClose={onClose}
    >
      <p>{words.deleteBody}</p>
      <TextField
        bound={form.bind('password')}
        label={texts.auth.password}
        type="password"
        autocomplete="current-password"
        data-autofocus
      />
    </FormDialog>
  );
}
