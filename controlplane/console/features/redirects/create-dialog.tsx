import { useLocation } from 'wouter-preact';
import { SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useForm } from '../../components/use-form';
import { useCreateRedirect } from '../../data/redirects';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { ForwardingFields } from './forwarding-fields';

const { form: words } = texts.redirects;

const EMPTY = {
  fromDomain: '',
  toDomain: '',
  redirectType: 'permanent',
  pathForwarding: true,
  queryForwarding: true,
};

/** Creates a redirect and opens its page, which has the DNS record. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const create = useCreateRedirect();
  const form = useForm({
    initial: EMPTY,
    draft: 'new-redirect',
    async submit(values) {
      const { id } = await create.mutateAsync(values);
      navigate(routes.redirect(id));
    },
  });
  return (
    <FormDialog title={words.title} form={form} submit={words.submit} onClose={onClose}>
      <TextField
        bound={form.bind('fromDomain')}
        label={words.from}
        hint={words.fromHint}
        placeholder="old-shop.example.com"
        autocapitalize="off"
        data-autofocus
      />
      <TextField
        bound={form.bind('toDomain')}
        label={words.to}
        hint={words.toHint}
        placeholder="https://shop.example.com"
        inputMode="url"
      />
      <SelectField
        bound={form.bind('redirectType')}
        label={words.type}
        options={{ permanent: words.permanent, temporary: words.temporary }}
      />
      <ForwardingFields form={form} />
    </FormDialog>
  );
}
