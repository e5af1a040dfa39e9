import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { fieldsOf, SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { Table } from '../../components/table';
import { dateText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { useDomainRelease, useTakedownChanges, useTakedowns } from '../../data/operator';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { texts } from '../../texts/texts';

const { takedowns: words, release, tabs } = texts.operator;
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
          ]}
          actions={(takedown) =>
            takedown.liftedAt === null && (
              <Button small aria-label={words.liftOne(hostOf(takedown))} onClick={() => onLift(takedown)}>
                {words.lift}
              </Button>
            )
          }
        />
      )}
    </PagedList>
  );
}

const hostOf = ({ host, destinationHost }: Schemas.Takedown) => host ?? destinationHost ?? '';

/** Takes down a domain, or all redirects to a destination host. */
function TakedownDialog({ onClose }: { readonly onClose: () => void }) {
  const { create } = useTakedownChanges();
  const toast = useToast();
  const form = useForm({
    initial: { kind: 'host', host: '', reason: '' },
    draft: 'new-takedown',
    async submit({ kind, host, reason }) {
      const { redirects } = await create.mutateAsync({ [kind]: host, reason });
      toast({ text: words.created(redirects) });
      onClose();
    },
    fieldOf: (path) => (path === 'destinationHost' ? 'host' : path),
  });
  const field = fieldsOf(form, words);
  return (
    <FormDialog title={words.createTitle} form={form} submit={words.create} look="danger" onClose={onClose}>
      <SelectField {...field('kind')} options={words.kinds} />
      <TextField {...field('host')} data-autofocus />
      <TextField {...field('reason')} hint={texts.operator.users.reasonHint} />
    </FormDialog>
  );
}

/** Releases a domain from its owner. The operator must type its name. */
function ReleaseDialog({ onClose }: { readonly onClose: () => void }) {
  const { mutateAsync } = useDomainRelease();
  const toast = useToast();
  const form = useForm({
    initial: { domain: '' },
    async submit({ domain }) {
      const { message } = await mutateAsync(domain.trim());
      toast({ text: message });
      onClose();
    },
  });
  const field = fieldsOf(form, release);
  return (
    <FormDialog title={release.title} form={form} submit={release.submit} look="danger" onClose={onClose}>
      <p>{release.body}</p>
      <TextField {...field('domain')} data-autofocus />
    </FormDialog>
  );
}
