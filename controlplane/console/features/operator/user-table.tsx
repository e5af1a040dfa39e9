import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { TableFrame } from '../../components/table-frame';
import { dateText } from '../../components/times';
import { texts } from '../../texts/texts';

const { users: words, tabs } = texts.operator;
const { columns } = words;

export function UserTable({
  users,
  ownId,
  onSuspend,
  onResume,
}: {
  readonly users: readonly Schemas.ListedUser[];
  /** The operator, who cannot be suspended. */
  readonly ownId: string | undefined;
  readonly onSuspend: (user: Schemas.ListedUser) => void;
  readonly onResume: (user: Schemas.ListedUser) => void;
}) {
  return (
    <TableFrame
      label={tabs.users}
      columns={[
        columns.email,
        columns.state,
        { text: columns.redirects, isNumber: true },
        columns.created,
        { text: columns.actions, isHidden: true },
      ]}
    >
      {users.map((user) => (
        <tr key={user.id}>
          <td>
            <strong>{user.email ?? words.noEmail}</strong>
            {user.email !== null && !user.isEmailVerified && <p class="quiet">{words.unverified}</p>}
          </td>
          <td>
            <UserState user={user} />
          </td>
          <td class="number">{texts.shell.number(user.redirects)}</td>
          <td class="no-wrap">{dateText(user.createdAt)}</td>
          <td class="actions">
            {user.id !== ownId && user.suspendedAt === null && (
              <Button small look="danger" onClick={() => onSuspend(user)}>
                {words.suspend}
              </Button>
            )}
            {user.suspendedAt !== null && (
              <Button small onClick={() => onResume(user)}>
                {words.resume}
              </Button>
            )}
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}

function UserState({ user }: { readonly user: Schemas.ListedUser }) {
  if (user.suspendedAt !== null) {
    return (
      <>
        <Badge tone="bad">{words.suspended}</Badge>
        {user.suspensionReason && <p class="quiet">{user.suspensionReason}</p>}
      </>
    );
  }
  if (user.eraseAt !== null) return <Badge tone="warning">{words.closing}</Badge>;
  return <Badge tone="good">{words.active}</Badge>;
}
