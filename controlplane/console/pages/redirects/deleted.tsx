import { Link } from 'wouter-preact';
import { Button } from '../../components/button';
import { PageHead } from '../../components/layout';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { TableFrame } from '../../components/table-frame';
import { agoText, dateText, timeText } from '../../components/times';
import { useToast } from '../../components/toasts';
import { useAddressFilter } from '../../components/use-address-filter';
import {
  type DeletedRedirect,
  restoreRedirects,
  useDeletedRedirects,
  useRedirectsRefresh,
} from '../../data/redirects';
import { SearchField } from '../../features/redirects/redirect-filters';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { redirects } = texts;
const { deletedView: words } = redirects;

/** Redirects that can be restored. */
export default function DeletedPage() {
  const [{ search }, setFilter] = useAddressFilter('search');
  const list = useDeletedRedirects(search);
  return (
    <>
      <Link href={routes.redirects} class="back">
        {redirects.title}
      </Link>
      <PageHead title={words.title}>
        <p class="lead">{words.lead}</p>
      </PageHead>
      <div class="filters">
        <SearchField
          label={redirects.search}
          value={search}
          onChange={(text) => setFilter({ search: text })}
        />
      </div>
      <PagedList
        query={list}
        empty={<EmptyState title={words.empty.title} body={words.empty.body} icon="trash" />}
      >
        {(deleted) => <DeletedTable deleted={deleted as readonly DeletedRedirect[]} />}
      </PagedList>
    </>
  );
}

function DeletedTable({ deleted }: { readonly deleted: readonly DeletedRedirect[] }) {
  const refresh = useRedirectsRefresh();
  const toast = useToast();
  const { domain, destination } = redirects.columns;

  async function restore({ id, fromDomain }: DeletedRedirect) {
    try {
      await restoreRedirects([id]);
      toast({ text: words.restored(fromDomain) });
    } catch (error) {
      toast({ text: error instanceof Error ? error.message : texts.errors.unexpected, isError: true });
    }
    await refresh();
  }

  return (
    <TableFrame
      label={words.title}
      columns={[domain, destination, words.deletedAt, words.until, { text: words.actions, isHidden: true }]}
    >
      {deleted.map((redirect) => (
        <tr key={redirect.id}>
          <td>{redirect.fromDomain}</td>
          <td class="break quiet">{redirect.toDomain}</td>
          <td title={timeText(redirect.deletedAt)}>{agoText(redirect.deletedAt)}</td>
          <td>{dateText(redirect.restorableUntil)}</td>
          <td class="actions">
            <Button
              small
              aria-label={words.restoreOne(redirect.fromDomain)}
              onClick={() => void restore(redirect)}
            >
              {words.restore}
            </Button>
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}
