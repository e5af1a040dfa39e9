import { useEffect, useState } from 'preact/hooks';
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
      <select
        class="input"
        aria-label={redirects.statusFilter}
        value={filter.status}
        onChange={({ currentTarget }) => onChange({ status: currentTarget.value })}
      >
        <option value="">{redirects.allStatuses}</option>
        {Object.entries(redirects.status).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {(tags.length > 0 || filter.tag) && (
        <select
          class="input"
          aria-label={redirects.tagFilter}
          value={filter.tag}
          onChange={({ currentTarget }) => onChange({ tag: currentTarget.value })}
        >
          <option value="">{redirects.allTags}</option>
          {[...new Set([...tags, ...(filter.tag ? [filter.tag] : [])])].map((tag) => (
            <option key={tag} value={tag}>
              {tag}
            </option>
          ))}
        </select>
      )}
      <select
        class="input"
        aria-label={redirects.sortBy}
        value={filter.sort}
        onChange={({ currentTarget }) =>
          onChange({ sort: currentTarget.value === '-createdAt' ? '' : currentTarget.value })
        }
      >
        {Object.entries(redirects.sorts).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
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
