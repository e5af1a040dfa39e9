import { SearchField } from '../../components/search-field';
import { Select } from '../../components/select';
import type { RedirectFilter } from '../../data/redirects';
import { texts } from '../../texts/texts';

const { redirects } = texts;

interface Props {
  readonly filter: RedirectFilter;
  /** Frequent tags with their counts. */
  readonly tags: readonly string[];
  readonly onChange: (changed: Partial<Record<'search' | 'status' | 'tag' | 'sort', string>>) => void;
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
