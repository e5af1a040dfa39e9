import { texts } from '../texts/texts';
import { Field } from './field';
import { type Options, Select } from './select';

const { filters: words } = texts.shell;

/** A field to choose one value. */
export function ChoiceField({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: Options;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(control) => <Select {...control} value={value} options={options} onChoose={onChange} />}
    </Field>
  );
}

/** Fields for dates, one for each label. */
export function DateFields<Name extends string>({
  labels,
  values,
  onChange,
}: {
  readonly labels: Readonly<Record<Name, string>>;
  readonly values: Readonly<Record<NoInfer<Name>, string>>;
  readonly onChange: (changed: { readonly [K in NoInfer<Name>]?: string }) => void;
}) {
  return (
    <>
      {(Object.keys(labels) as Name[]).map((name) => (
        <Field key={name} label={labels[name]}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="date"
              value={values[name]}
              onChange={({ currentTarget }) =>
                onChange({ [name]: currentTarget.value } as { [K in Name]?: string })
              }
            />
          )}
        </Field>
      ))}
    </>
  );
}

type Period = Readonly<Record<'since' | 'until', string>>;

/** Fields for the first and the last day of a log. */
export function PeriodFilter({
  period,
  onChange,
}: {
  readonly period: Period;
  readonly onChange: (changed: Partial<Period>) => void;
}) {
  const { since, until } = words;
  return <DateFields labels={{ since, until }} values={period} onChange={onChange} />;
}
