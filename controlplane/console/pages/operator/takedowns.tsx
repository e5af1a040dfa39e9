import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { Table } from '../../components/table';
import { dateText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useTakedownChanges, useTakedowns } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { ReleaseDialog, TakedownDialog } from '../../features/operator/takedown-dialogs';
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
    <PagedList query={list} error={lift.error} empty={<EmptyState {...words.empty} icon="server" />}>
      {(takedowns) => (
        <Table
          label={tabs.takedowns}
          rows={takedowns}
          keyOf={({ id }) => id}
          columns={[
            {
              text: columns.host,
              cell: (takedown) => (
                <>
                  <strong>{hostOf(takedown)}</strong>
                  {takedown.host === null && <span class="quiet"> {words.asDestination}</span>}
                </>
              ),
            },
            { text: columns.reason, cell: ({ reason }) => reason },
            { text: columns.created, cell: ({ createdAt }) => dateText(createdAt) },
            {
              text: columns.state,
              cell: ({ liftedAt }) =>
                liftedAt === null ? <Badge tone="bad">{words.active}</Badge> : <Badge>{words.lifted}</Badge>,
            },
            {
              text: columns.actions,
              class: 'actions',
              cell: (takedown) =>
                takedown.liftedAt === null && (
                  <Button small aria-label={words.liftOne(hostOf(takedown))} onClick={() => onLift(takedown)}>
                    {words.lift}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </PagedList>
  );
}

const hostOf = ({ host, destinationHost }: Schemas.Takedown) => host ?? destinationHost ?? '';
