import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { TableFrame } from '../../components/table-frame';
import { dateText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useTakedownChanges, useTakedowns } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { ReleaseDialog } from '../../features/operator/release-dialog';
import { TakedownDialog } from '../../features/operator/takedown-dialog';
import { texts } from '../../texts/texts';

const { takedowns: words, tabs } = texts.operator;
const { columns } = words;

export default function TakedownsPage() {
  const [open, setOpen] = useState<'takedown' | 'release'>();
  const close = () => setOpen(undefined);
  return (
    <OperatorFrame
      part={tabs.takedowns}
      actions={
        <>
          <Button onClick={() => setOpen('release')}>{texts.operator.release.open}</Button>
          <Button look="primary" icon="plus" onClick={() => setOpen('takedown')}>
            {words.create}
          </Button>
        </>
      }
    >
      <p class="lead">{words.lead}</p>
      <Takedowns />
      {open === 'takedown' && <TakedownDialog onClose={close} />}
      {open === 'release' && <ReleaseDialog onClose={close} />}
    </OperatorFrame>
  );
}

function Takedowns() {
  const list = useTakedowns();
  const { lift } = useTakedownChanges();
  const toast = useToast();
  const onLift = (takedown: Schemas.Takedown) =>
    lift.mutate(takedown.id, { onSuccess: () => toast({ text: words.liftedToast(hostOf(takedown)) }) });
  return (
    <PagedList
      query={list}
      error={lift.error}
      empty={<EmptyState title={words.empty.title} body={words.empty.body} icon="server" />}
    >
      {(takedowns) => <TakedownTable takedowns={takedowns} onLift={onLift} />}
    </PagedList>
  );
}

const hostOf = ({ host, destinationHost }: Schemas.Takedown) => host ?? destinationHost ?? '';

function TakedownTable({
  takedowns,
  onLift,
}: {
  readonly takedowns: readonly Schemas.Takedown[];
  readonly onLift: (takedown: Schemas.Takedown) => void;
}) {
  return (
    <TableFrame
      label={tabs.takedowns}
      columns={[
        columns.host,
        columns.reason,
        columns.created,
        columns.state,
        { text: columns.actions, isHidden: true },
      ]}
    >
      {takedowns.map((takedown) => (
        <tr key={takedown.id}>
          <td>
            <strong>{hostOf(takedown)}</strong>
            {takedown.host === null && <span class="quiet"> {words.asDestination}</span>}
          </td>
          <td>{takedown.reason}</td>
          <td>{dateText(takedown.createdAt)}</td>
          <td>
            <Badge tone={takedown.liftedAt === null ? 'bad' : 'neutral'}>
              {takedown.liftedAt === null ? words.active : words.lifted}
            </Badge>
          </td>
          <td class="actions">
            {takedown.liftedAt === null && (
              <Button small aria-label={words.liftOne(hostOf(takedown))} onClick={() => onLift(takedown)}>
                {words.lift}
              </Button>
            )}
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}
