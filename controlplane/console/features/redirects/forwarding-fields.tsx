import { type Bound, CheckField } from '../../components/field';
import { texts } from '../../texts/texts';

const { form: words } = texts.redirects;

interface ForwardingForm {
  bind(name: 'pathForwarding' | 'queryForwarding'): Bound<boolean>;
}

/** Whether visitors keep their path and query. */
export function ForwardingFields({ form }: { readonly form: ForwardingForm }) {
  return (['pathForwarding', 'queryForwarding'] as const).map((name) => (
    <CheckField key={name} bound={form.bind(name)} label={words[name]} hint={words[`${name}Hint`]} />
  ));
}
