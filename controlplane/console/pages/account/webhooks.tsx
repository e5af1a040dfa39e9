import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { SecretDialog } from '../../components/copy-field';
import { ConfirmDialog } from '../../components/dialog';
import { Choices, fieldsOf, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { Card } from '../../components/layout';
import { EmptyState, ErrorNote, Loaded } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { EVENTS, useEndpointChanges, useEndpoints } from '../../data/webhooks';
import { AccountFrame } from '../../features/account/account-frame';
import { EndpointCard } from '../../features/account/endpoint-card';
import { texts } from '../../texts/texts';

const { webhooks: words, tabs, tokens } = texts.account;

export default function WebhooksPage() {
  const endpoints = useEndpoints();
  const { remove, rotate } = useEndpointChanges();
  const toast = useToast();
  const [edited, setEdited] = useState<Schemas.WebhookEndpoint | 'new'>();
  const [rotating, setRotating] = useState<Schemas.WebhookEndpoint>();
  const [secret, setSecret] = useState<string>();
  const [deleting, setDeleting] = useState<Schemas.WebhookEndpoint>();
  const create = (
    <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
      {words.create}
    </Button>
  );
  return (
    <AccountFrame part={tabs.webhooks} actions={create}>
      <p class="lead">{words.lead}</p>
      <ErrorNote error={remove.error ?? rotate.error} />
      <Loaded query={endpoints}>
        {({ endpoints: list }) => (
          <>
            {list.length === 0 && (
              <Card>
                <EmptyState {...words.empty} icon="route" />
              </Card>
            )}
            {list.map((endpoint) => (
              <EndpointCard
                key={endpoint.id}
                endpoint={endpoint}
                onEdit={() => setEdited(endpoint)}
                onRotate={() => setRotating(endpoint)}
                onDelete={() => setDeleting(endpoint)}
              />
            ))}
          </>
        )}
      </Loaded>
      {edited && (
        <EndpointDialog
          endpoint={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={(created) => {
            setEdited(undefined);
            setSecret(created);
            if (created === undefined) toast({ text: words.saved });
          }}
        />
      )}
      {rotating && (
        <ConfirmDialog
          title={words.rotateTitle}
          body={words.rotateBody}
          action={words.rotate}
          onClose={() => setRotating(undefined)}
          onConfirm={() => rotate.mutate(rotating.id, { onSuccess: (made) => setSecret(made.secret) })}
        />
      )}
      {secret && (
        <SecretDialog
          title={words.secretTitle}
          body={words.secretBody}
          label={texts.redirects.dns.value}
          secret={secret}
          done={tokens.done}
          onClose={() => setSecret(undefined)}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={words.deleteTitle}
          body={words.deleteBody}
          action={texts.shell.delete}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => remove.mutate(deleting.id)}
        />
      )}
    </AccountFrame>
  );
}

/** Adds or changes a webhook endpoint. @param onSaved receives the secret of a new endpoint, which is shown once */
function EndpointDialog({
  endpoint,
  onClose,
  onSaved,
}: {
  readonly endpoint: Schemas.WebhookEndpoint | undefined;
  readonly onClose: () => void;
  readonly onSaved: (secret: string | undefined) => void;
}) {
  const { create, update } = useEndpointChanges();
  const form = useForm<{ url: string; events: readonly string[] }>({
    initial: { url: endpoint?.url ?? '', events: endpoint?.events ?? EVENTS },
    draft: `endpoint ${endpoint?.id ?? 'new'}`,
    async submit(values) {
      if (endpoint === undefined) onSaved((await create.mutateAsync(values)).secret);
      else {
        await update.mutateAsync({ id: endpoint.id, changes: values });
        onSaved(undefined);
      }
    },
  });
  const field = fieldsOf(form, words);
  return (
    <FormDialog
      title={endpoint ? words.editTitle : words.createTitle}
      form={form}
      submit={endpoint ? texts.shell.save : words.create}
      isWide
      onClose={onClose}
    >
      <TextField
        {...field('url')}
        placeholder="https://hooks.example.com/waymark"
        inputMode="url"
        data-autofocus
      />
      <Choices {...field('events')} options={EVENTS} />
    </FormDialog>
  );
}
