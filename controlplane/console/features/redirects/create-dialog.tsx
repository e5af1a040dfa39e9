import { useLocation } from 'wouter-preact';
import { CheckField, fieldsOf, SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useForm } from '../../components/use-form';
import { useCreateRedirect } from '../../data/redirects';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

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
  const field = fieldsOf(form, words);
  return (
    <FormDialog title={words.title} form={form} submit={words.submit} onClose={onClose}>
      <TextField
        {...field('fromDomain')}
        placeholder="old-shop.example.com"
        autocapitalize="off"
        data-autofocus
      />
      <TextField {...field('toDomain')} placeholder="https://shop.example.com" inputMode="url" />
      <SelectField
        {...field('redirectType')}
        options={{ permanent: words.permanent, temporary: words.temporary }}
      />
      <CheckField {...field('pathForwarding')} />
      <CheckField {...field('queryForwarding')} />
    </FormDialog>
  );
}
