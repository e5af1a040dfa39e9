import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { PagedList } from '../../components/paged-list';
import { useToast } from '../../components/toasts';
import { useAddressFilter } from '../../components/use-address-filter';
import { useAccount } from '../../data/account';
import { useUserChanges, useUsers } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { SuspendDialog } from '../../features/operator/suspend-dialog';
import { UserTable } from '../../features/operator/user-table';
import { SearchField } from '../../features/redirects/redirect-filters';
import { texts } from '../../texts/texts';

const { users: words, tabs } = texts.operator;

export default function UsersPage() {
  return (
    <OperatorFrame part={tabs.users}>
      <Users />
    </OperatorFrame>
  );
}

function Users() {
  const [{ search }, setFilter] = useAddressFilter('search');
  const list = useUsers(search);
  const { resume } = useUserChanges();
  const { data: account } = useAccount();
  const [suspending, setSuspending] = useState<Schemas.ListedUser>();
  const toast = useToast();
  return (
    <>
      <div class="filters">
        <SearchField label={words.search} value={search} onChange={(text) => setFilter({ search: text })} />
      </div>
      <PagedList query={list} error={resume.error} empty={<p class="loading">{words.nothingFound}</p>}>
        {(users) => (
          <UserTable
            users={users}
            ownId={account?.user.id}
            onSuspend={setSuspending}
            onResume={({ id, email }) =>
              resume.mutate(id, {
                onSuccess: () => toast({ text: words.resumedToast(email ?? words.noEmail) }),
              })
            }
          />
        )}
      </PagedList>
      {suspending && <SuspendDialog user={suspending} onClose={() => setSuspending(undefined)} />}
    </>
  );
}
