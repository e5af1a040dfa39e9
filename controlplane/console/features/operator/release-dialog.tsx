import { TextField } from '../../components/field';
import { FormDialog } from '../../components/form-dialog';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { useDomainRelease } from '../../data/operator';
import { texts } from '../../texts/texts';

const { release: words } = texts.operator;

/** Takes a domain from its owner. Its name must be typed. */
export function ReleaseDialog({ onClose }: { readonly onClose: () => void }) {
  const release = useDomainRelease();
  const toast = useToast();
  const form = useForm({
    initial: { domain: '' },
    async submit({ domain }) {
      const { message } = await release.mutateAsync(domain.trim());
      toast({ text: message });
      onClose();
    },
  });
  return (
    <FormDialog title={words.title} form={form} submit={words.submit} look="danger" onClose={onClose}>
      <p>{words.body}</p>
      <TextField bound={form.bind('domain')} label={words.domain} data-autofocus />
    </FormDialog>
  );
}
