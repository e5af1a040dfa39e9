import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAddressFilter } from '../components/address-filter';
import { Button, LinkButton } from '../components/button';
import { CheckField, fieldsOf, SelectField, TextField } from '../components/field';
import { FormDialog } from '../components/form';
import { Card, PageHead } from '../components/layout';
import { EmptyState, ErrorNote, Loading } from '../components/messages';
import { SearchField } from '../components/search-field';
import { Select } from '../components/select';
import { useForm } from '../components/use-form';
import {
  isCountedEmpty,
  type RedirectFilter,
  type Sort,
  useCreateRedirect,
  useRedirectList,
} from '../data/redirects';
import { BulkActions } from '../features/redirects/bulk-actions';
import { RedirectTable } from '../features/redirects/redirect-table';
import { useVisitRates } from '../features/redirects/use-visit-rates';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

const { redirects: words } = texts;
const { form: formWords } = words;
const NONE: ReadonlySet<string> = new Set();

export function RedirectsPage() {
  const { filter, isFiltered, isCreating, change } = useRedirectFilter();
  const [selected, setSelected] = useState(NONE);
  const list = useRedirectList(filter);
  const first = list.data?.pages[0];
  const redirects = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const rates = useVisitRates(redirects, list.dataUpdatedAt);
  // With very many redirects, a search may read several pages to find the first match.
  const isSearching =
    first !== undefined && redirects.length === 0 && list.hasNextPage && !isCountedEmpty(first);
  const isEmpty = first !== undefined && redirects.length === 0 && !isSearching;
  useEffect(() => {
    if (isSearching && !list.isFetching && !list.error) void list.fetchNextPage();
  }, [isSearching, list]);
  const create = () => change({ new: '1' });

  return (
    <>
      <PageHead
        title={words.title}
        actions={
          <>
            <LinkButton to={routes.deleted} icon="trash" look="quiet">
              {words.deletedLink}
            </LinkButton>
            <Button look="primary" icon="plus" onClick={create}>
              {words.create}
            </Button>
          </>
        }
      >
        {first?.total !== undefined && (
          <p class="lead">
            {isFiltered && first.countLimit !== undefined
              ? words.atLeast(Math.max(first.total, redirects.length))
              : words.count(first.total)}
          </p>
        )}
      </PageHead>
      {(!isEmpty || isFiltered) && (
        <RedirectFilters filter={filter} tags={Object.keys(first?.facets?.tags ?? {})} onChange={change} />
      )}
      <ErrorNote error={list.error} onRetry={() => void list.refetch()} />
      {(first === undefined || isSearching) && !list.error && <Loading />}
      {isEmpty && (
        <Card>
          {isFiltered ? (
            <EmptyState {...words.nothingFound} icon="search">
              <Button onClick={() => change({ search: '', status: '', tag: '' })}>
                {words.nothingFound.clear}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState {...words.empty} icon="route">
              <Button look="primary" icon="plus" onClick={create}>
                {words.create}
              </Button>
            </EmptyState>
          )}
        </Card>
      )}
      {redirects.length > 0 && (
        <Card flush>
          {selected.size > 0 && (
            <BulkActions
              selected={redirects.filter(({ id }) => selected.has(id))}
              onDone={() => setSelected(NONE)}
            />
          )}
          <RedirectTable
            redirects={redirects}
            rates={rates}
            total={Math.max(first?.total ?? 0, redirects.length)}
            selected={selected}
            onSelect={setSelected}
            onMore={
              list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined
            }
          />
        </Card>
      )}
      {isCreating && <CreateDialog onClose={() => change({ new: '' })} />}
    </>
  );
}

interface FiltersProps {
  readonly filter: RedirectFilter;
  /** Frequent tags with their counts. */
  readonly tags: readonly string[];
  readonly onChange: (changed: Partial<Record<'search' | 'status' | 'tag' | 'sort', string>>) => void;
}

function RedirectFilters({ filter, tags, onChange }: FiltersProps) {
  return (
    <search class="filters">
      <SearchField
        value={filter.search ?? ''}
        onChange={(search) => onChange({ search })}
        label={words.search}
      />
      <Select
        aria-label={words.statusFilter}
        value={filter.status}
        options={{ '': words.allStatuses, ...words.status }}
        onChoose={(status) => onChange({ status })}
      />
      {(tags.length > 0 || filter.tag) && (
        <Select
          aria-label={words.tagFilter}
          value={filter.tag}
          options={[
            ['', words.allTags],
            ...[...new Set([...tags, ...(filter.tag ? [filter.tag] : [])])].map((tag) => [tag, tag] as const),
          ]}
          onChoose={(tag) => onChange({ tag })}
        />
      )}
      <Select
        aria-label={words.sortBy}
        value={filter.sort}
        options={words.sorts}
        onChoose={(sort) => onChange({ sort: sort === '-createdAt' ? '' : sort })}
      />
    </search>
  );
}

const isSort = (value: string): value is keyof typeof words.sorts & Sort => value in words.sorts;

/** Returns search, filters and sort order of the list. The URL has them, so users can share a view. */
function useRedirectFilter() {
  const [asked, change] = useAddressFilter('search', 'status', 'tag', 'sort', 'new');
  const { search, status, tag } = asked;
  const sort: Sort = isSort(asked.sort) ? asked.sort : '-createdAt';
  const filter = useMemo<RedirectFilter>(() => ({ search, status, tag, sort }), [search, status, tag, sort]);
  return {
    filter,
    isFiltered: search !== '' || status !== '' || tag !== '',
    isCreating: asked.new === '1',
    change,
  };
}

const EMPTY = {
  fromDomain: '',
  toDomain: '',
  redirectType: 'permanent',
  pathForwarding: true,
  queryForwarding: true,
};

/** Creates a redirect and opens its page. The page shows the DNS record. */
function CreateDialog({ onClose }: { readonly onClose: () => void }) {
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
  const field = fieldsOf(form, formWords);
  return (
    <FormDialog title={formWords.title} form={form} submit={formWords.submit} onClose={onClose}>
      <TextField
        {...field('fromDomain')}
        placeholder="old-shop.example.com"
        autocapitalize="off"
        data-autofocus
      />
      <TextField {...field('toDomain')} placeholder="https://shop.example.com" inputMode="url" />
      <SelectField
        {...field('redirectType')}
        options={{ permanent: formWords.permanent, temporary: formWords.temporary }}
      />
      <CheckField {...field('pathForwarding')} />
      <CheckField {...field('queryForwarding')} />
    </FormDialog>
  );
}
