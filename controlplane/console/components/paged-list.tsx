import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts';
import { Button } from './button';
import { Card } from './layout';
import { ErrorNote, Loading } from './messages';

const { hits: words } = texts.statistics;

interface MorePages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** A list that the API returns page by page. */
export interface PagedQuery<T> extends MorePages {
  readonly data: { readonly pages: readonly { readonly data: readonly T[] }[] } | undefined;
  readonly error: unknown;
  refetch(): unknown;
}

/** A list that is read page by page. It shows a card with the rows, or a text if the list is empty. */
export function PagedList<T>({
  query,
  error,
  title,
  empty,
  children,
}: {
  readonly query: PagedQuery<T>;
  /** Error of the last action on a row. */
  readonly error?: unknown;
  readonly title?: string;
  readonly empty: ComponentChildren;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}) {
  const rows = query.data?.pages.flatMap(({ data }) => data);
  return (
    <>
      <ErrorNote error={error} />
      <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
      {rows === undefined && !query.error && <Loading />}
      {rows !== undefined && (rows.length > 0 || !query.hasNextPage) && (
        <Card flush {...(title !== undefined && { title })}>
          {rows.length === 0 ? empty : children(rows)}
        </Card>
      )}
      <MoreButton query={query} />
    </>
  );
}

/** A button that reads the next page of a list. */
export function MoreButton({ query }: { readonly query: MorePages }) {
  if (!query.hasNextPage) return null;
  return (
    <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {texts.shell.loadMore}
    </Button>
  );
}

/** Buttons for the previous and the next page. Hidden if there is only one page. */
export function PageButtons({
  page,
  pages,
  onPage,
}: {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}) {
  if (pages <= 1) return null;
  return (
    <footer class="pages">
      <Button small disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {words.newer}
      </Button>
      <span class="quiet">{words.page(page, pages)}</span>
      <Button small disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {words.older}
      </Button>
    </footer>
  );
}
