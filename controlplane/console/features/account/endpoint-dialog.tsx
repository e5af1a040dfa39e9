import type { Schemas } from '@waymark/client';
import { Choices, fieldsOf, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useForm } from '../../components/use-form';
import { EVENTS, useEndpointChanges } from '../../data/webhooks';
import { texts } from '../../texts/texts';

const { webhooks: words } = texts.account;

/** Adds a webhook endpoint, or changes one. @param onSaved gets the secret of a new one, which is shown once */
export function EndpointDialog({
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
