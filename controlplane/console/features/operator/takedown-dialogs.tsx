import { SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { useDomainRelease, useTakedownChanges } from '../../data/operator';
import { texts } from '../../texts/texts';

const { takedowns: words, release } = texts.operator;

/** Takes down a domain, or everything that leads to a host. */
export function TakedownDialog({ onClose }: { readonly onClose: () => void }) {
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
  return (
    <FormDialog title={words.createTitle} form={form} submit={words.create} look="danger" onClose={onClose}>
      <SelectField bound={form.bind('kind')} label={words.kind} options={words.kinds} />
      <TextField bound={form.bind('host')} label={words.host} data-autofocus />
      <TextField bound={form.bind('reason')} label={words.reason} hint={texts.operator.users.reasonHint} />
    </FormDialog>
  );
}

/** Takes a domain from its owner. Its name must be typed. */
export function ReleaseDialog({ onClose }: { readonly onClose: () => void }) {
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
  return (
    <FormDialog title={release.title} form={form} submit={release.submit} look="danger" onClose={onClose}>
      <p>{release.body}</p>
      <TextField bound={form.bind('domain')} label={release.domain} data-autofocus />
    </FormDialog>
  );
}
