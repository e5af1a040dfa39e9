import { ChoiceField, PeriodFilter } from '../../components/filters';
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
      <ChoiceField
        label={words.resource}
        value={filter.resource}
        options={{
          ...words.resources,
          ...(isOneResource && { [filter.resource]: words.oneResource(filter.resource) }),
        }}
        onChange={(resource) => onChange({ resource })}
      />
      <ChoiceField
        label={words.action}
        value={filter.action}
        options={words.actions}
        onChange={(action) => onChange({ action })}
      />
      <PeriodFilter period={filter} onChange={onChange} />
    </search>
  );
}
