import { Field } from '../../components/field';
import type { AuditFilter } from '../../data/history';
import { texts } from '../../texts/texts';

const { filters: words } = texts.audit;

/** What the log is filtered by. */
export function AuditFilters({
  filter,
  onChange,
}: {
  readonly filter: AuditFilter;
  readonly onChange: (changed: Partial<AuditFilter>) => void;
}) {
  const isOneResource = filter.resource !== '' && !(filter.resource in words.resources);
  return (
    <search class="form-row form-row-narrow" aria-label={words.label}>
      <Choice
        label={words.resource}
        value={filter.resource}
        options={{
          ...words.resources,
          ...(isOneResource && { [filter.resource]: words.oneResource(filter.resource) }),
        }}
        onChange={(resource) => onChange({ resource })}
      />
      <Choice
        label={words.action}
        value={filter.action}
        options={words.actions}
        onChange={(action) => onChange({ action })}
      />
      {(['since', 'until'] as const).map((name) => (
        <Field key={name} label={words[name]}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="date"
              value={filter[name]}
              onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </search>
  );
}

function Choice({
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
