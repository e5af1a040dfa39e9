import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { useAddressFilter } from '../../components/address-filter';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { fieldsOf, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { PagedList } from '../../components/paged-list';
import { AddressSearch } from '../../components/search-field';
import { Table } from '../../components/table';
import { dateText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { useAccount } from '../../data/account';
import { useUserChanges, useUsers } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { texts } from '../../texts/texts';

const { users: words, tabs } = texts.operator;
const { columns } = words;

export default function UsersPage() {
  return (
    <OperatorFrame part={tabs.users}>
      <Users />
    </OperatorFrame>
  );
}

function Users() {
  const [{ search }] = useAddressFilter('search');
  const list = useUsers(search);
  const { resume } = useUserChanges();
  const { data: account } = useAccount();
  const [suspending, setSuspending] = useState<Schemas.ListedUser>();
  const toast = useToast();
  const onResume = ({ id, email }: Schemas.ListedUser) =>
    resume.mutate(id, { onSuccess: () => toast({ text: words.resumedToast(email ?? words.noEmail) }) });
  return (
    <>
      <AddressSearch label={words.search} />
      <PagedList query={list} error={resume.error} empty={<p class="loading">{words.nothingFound}</p>}>
        {(users) => (
          <Table
            label={tabs.users}
            rows={users}
            keyOf={({ id }) => id}
            columns={[
              {
                text: columns.email,
                cell: ({ email, isEmailVerified }) => (
                  <>
                    <strong>{email ?? words.noEmail}</strong>
                    {email !== null && !isEmailVerified && <p class="quiet">{words.unverified}</p>}
                  </>
                ),
              },
              { text: columns.state, cell: stateOf },
              { text: columns.redirects, class: 'number', cell: ({ redirects }) => redirects },
              { text: columns.created, class: 'no-wrap', cell: ({ createdAt }) => dateText(createdAt) },
            ]}
            actions={(user) =>
              user.suspendedAt !== null ? (
                <Button small onClick={() => onResume(user)}>
                  {words.resume}
                </Button>
              ) : (
                // The operator cannot be suspended.
                user.id !== account?.user.id && (
                  <Button small look="danger" onClick={() => setSuspending(user)}>
                    {words.suspend}
                  </Button>
                )
              )
            }
          />
        )}
      </PagedList>
      {suspending && <SuspendDialog user={suspending} onClose={() => setSuspending(undefined)} />}
    </>
  );
}

function stateOf({ suspendedAt, suspensionReason, eraseAt }: Schemas.ListedUser) {
  if (suspendedAt !== null) {
    return (
      <>
        <Badge tone="bad">{words.suspended}</Badge>
        {suspensionReason && <p class="quiet">{suspensionReason}</p>}
      </>
    );
  }
  if (eraseAt !== null) return <Badge tone="warning">{words.closing}</Badge>;
  return <Badge tone="good">{words.active}</Badge>;
}

/** Suspends a user, with a reason. */
function SuspendDialog({
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
  const field = fieldsOf(form, words);
  return (
    <FormDialog
      title={words.suspendTitle(name)}
      form={form}
      submit={words.suspend}
      look="danger"
      onClose={onClose}
    >
      <p>{words.suspendBody}</p>
      <TextField {...field('reason')} data-autofocus />
    </FormDialog>
  );
}
