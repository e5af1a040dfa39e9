import { useEffect, useState } from 'preact/hooks';
import { Select } from '../../components/select';
import { useDelayed } from '../../components/use-delayed';
import type { RedirectFilter } from '../../data/redirects';
import { texts } from '../../texts/texts';

const { redirects } = texts;
const TYPING_MS = 250;

interface Props {
  readonly filter: RedirectFilter;
  /** Frequent tags with their counts. */
  readonly tags: readonly string[];
  readonly onChange: (changed: Readonly<Record<string, string>>) => void;
}

export function RedirectFilters({ filter, tags, onChange }: Props) {
  return (
    <search class="filters">
      <SearchField
        value={filter.search ?? ''}
        onChange={(search) => onChange({ search })}
        label={redirects.search}
      />
      <Select
        aria-label={redirects.statusFilter}
        value={filter.status}
        options={{ '': redirects.allStatuses, ...redirects.status }}
        onChoose={(status) => onChange({ status })}
      />
      {(tags.length > 0 || filter.tag) && (
        <Select
          aria-label={redirects.tagFilter}
          value={filter.tag}
          options={[
            ['', redirects.allTags],
            ...[...new Set([...tags, ...(filter.tag ? [filter.tag] : [])])].map((tag) => [tag, tag] as const),
          ]}
          onChoose={(tag) => onChange({ tag })}
        />
      )}
      <Select
        aria-label={redirects.sortBy}
        value={filter.sort}
        options={redirects.sorts}
        onChoose={(sort) => onChange({ sort: sort === '-createdAt' ? '' : sort })}
      />
    </search>
  );
}

/** A search field that reports what is typed once the typing pauses. */
export function SearchField({
  value,
  label,
  onChange,
}: {
  readonly value: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const settled = useDelayed(typed, TYPING_MS);
  useEffect(() => {
    if (settled !== value) onChange(settled);
  }, [settled]);
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      class="input"
      type="search"
      aria-label={label}
      placeholder={label}
      spellcheck={false}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}
