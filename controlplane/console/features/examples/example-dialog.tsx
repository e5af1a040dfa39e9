import type { Schemas } from '@waymark/client';
import { FieldError, fieldsOf, SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { localTime } from '../../components/times';
import { useForm } from '../../components/use-form';
import { texts } from '../../texts/texts';

const { form: words } = texts.examples;
const { test } = texts.redirects;

/** Adds an example, or edits one. */
export function ExampleDialog({
  id,
  host,
  example,
  others,
  save,
  onClose,
}: {
  readonly id: string;
  readonly host: string;
  readonly example: Schemas.Example | undefined;
  /** Names of the other examples. */
  readonly others: readonly string[];
  readonly save: (example: Schemas.Example) => Promise<void>;
  readonly onClose: () => void;
}) {
  const form = useForm<EditedExample>({
    initial: valuesOf(example, host),
    draft: `example ${id} ${example?.name ?? 'new'}`,
    async submit(values) {
      if (others.includes(values.name.trim())) throw new FieldError('name', words.twice);
      await save(exampleOf(values, example));
      onClose();
    },
    fieldOf,
  });
  const isAnswer = form.values.kind === 'answer';
  const field = fieldsOf(form, words);
  return (
    <FormDialog
      title={example ? words.editTitle : words.addTitle}
      form={form}
      submit={words.submit}
      isWide
      onClose={onClose}
    >
      <TextField {...field('name')} placeholder={words.namePlaceholder} data-autofocus />
      <TextField {...field('url')} inputMode="url" />
      <div class="form-row form-row-narrow">
        <TextField {...field('country')} placeholder="DE" maxLength={2} />
        <SelectField {...field('device')} options={test.devices} />
        <TextField {...field('language')} placeholder="de-DE" />
      </div>
      <div class="form-row">
        <TextField {...field('userAgent')} />
        <TextField {...field('at')} type="datetime-local" />
      </div>
      <SelectField {...field('kind')} options={words.kinds} />
      {isAnswer && (
        <>
          <TextField {...field('location')} placeholder="https://" />
          <div class="form-row">
            <TextField {...field('statusCode')} inputMode="numeric" />
            <TextField {...field('ruleName')} />
          </div>
        </>
      )}
    </FormDialog>
  );
}

/** An example in the form's representation. */
type EditedExample = ReturnType<typeof valuesOf>;

function valuesOf(example: Schemas.Example | undefined, host: string) {
  const { request, expect } = example ?? { request: { url: `https://${host}/` }, expect: {} };
  return {
    name: example?.name ?? '',
    url: request.url,
    country: request.userAttributes?.country ?? '',
    device: (request.userAttributes?.device_type ?? '') as '' | 'desktop' | 'mobile' | 'tablet',
    language: request.headers?.['accept-language'] ?? '',
    userAgent: request.headers?.['user-agent'] ?? '',
    at: localTime(request.at),
    kind: expect.noMatch ? ('noMatch' as const) : ('answer' as const),
    statusCode: String(expect.statusCode ?? ''),
    location: expect.location ?? '',
    ruleName: expect.ruleName ?? '',
  };
}

/** Returns the example in the API's representation. Keeps members of the former example that the form does not show. */
function exampleOf(values: EditedExample, former: Schemas.Example | undefined): Schemas.Example {
  const headers = filled({
    ...former?.request.headers,
    'accept-language': values.language,
    'user-agent': values.userAgent,
  });
  const userAttributes = filled({
    ...former?.request.userAttributes,
    country: values.country.toUpperCase(),
    device_type: values.device,
  });
  const { headers: _, userAttributes: __, at: ___, ...kept } = former?.request ?? { url: '' };
  return {
    name: values.name,
    request: {
      ...kept,
      url: values.url,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(userAttributes).length > 0 && { userAttributes }),
      ...(values.at !== '' && { at: new Date(values.at).toISOString() }),
    },
    expect:
      values.kind === 'noMatch'
        ? { noMatch: true }
        : {
            ...(values.statusCode !== '' && { statusCode: Number(values.statusCode) }),
            ...filled({ location: values.location, ruleName: values.ruleName }),
          },
  };
}

/** Returns the form field that shows an error of an API member, such as `examples.3.request.url`. */
function fieldOf(path: string): string {
  const [, , part = '', member = '', detail = ''] = path.split('.');
  if (part !== 'request' && part !== 'expect') return part;
  if (member === 'headers') return detail === 'user-agent' ? 'userAgent' : 'language';
  if (member === 'userAttributes') return detail === 'country' ? 'country' : 'device';
  return member || (part === 'request' ? 'url' : 'location');
}

function filled(record: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.entries(record).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
