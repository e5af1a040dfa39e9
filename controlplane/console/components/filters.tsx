import { texts } from '../texts/texts';
import { Field } from './field';

const { filters: words } = texts.shell;

/** What a list is filtered by. '' does not filter. */
export function ChoiceFilter({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {Object.entries(options).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface Period {
  readonly since: string;
  readonly until: string;
}

/** The days that a log is filtered by. */
export function PeriodFilter({
  period,
  onChange,
}: {
  readonly period: Period;
  readonly onChange: (changed: Partial<Period>) => void;
}) {
  return (
    <>
      {(['since', 'until'] as const).map((name) => (
        <Field key={name} label={words[name]}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="date"
              value={period[name]}
              onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </>
  );
}
