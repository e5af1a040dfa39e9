import { Link } from 'wouter-preact';
import { useAddressFilter } from '../../components/address-filter';
import { Button } from '../../components/button';
import { PageHead } from '../../components/layout';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { AddressSearch } from '../../components/search-field';
import { Table } from '../../components/table';
import { dateText, Time } from '../../components/times';
import { useErrorToast, useToast } from '../../components/toasts';
import {
  type DeletedRedirect,
  restoreRedirects,
  useDeletedRedirects,
  useRedirectsRefresh,
} from '../../data/redirects';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { redirects } = texts;
const { deletedView: words } = redirects;

/** Lists deleted redirects that can be restored. */
export default function DeletedPage() {
  const [{ search }] = useAddressFilter('search');
  const list = useDeletedRedirects(search);
  return (
    <>
      <Link href={routes.redirects} class="back">
        {redirects.title}
      </Link>
      <PageHead title={words.title}>
        <p class="lead">{words.lead}</p>
      </PageHead>
      <AddressSearch label={redirects.search} />
      <PagedList query={list} empty={<EmptyState {...words.empty} icon="trash" />}>
        {(deleted) => <DeletedTable deleted={deleted as readonly DeletedRedirect[]} />}
      </PagedList>
    </>
  );
}

function DeletedTable({ deleted }: { readonly deleted: readonly DeletedRedirect[] }) {
  const refresh = useRedirectsRefresh();
  const toast = useToast();
  const fail = useErrorToast();
  const { domain, destination } = redirects.columns;

  async function restore({ id, fromDomain }: DeletedRedirect) {
    try {
      await restoreRedirects([id]);
      toast({ text: words.restored(fromDomain) });
    } catch (error) {
      fail(error);
    }
    await refresh();
  }

  return (
    <Table
      label={words.title}
      rows={deleted}
      keyOf={({ id }) => id}
      columns={[
        { text: domain, cell: ({ fromDomain }) => fromDomain },
        { text: destination, class: 'break quiet', cell: ({ toDomain }) => toDomain },
        { text: words.deletedAt, cell: ({ deletedAt }) => <Time at={deletedAt} /> },
        { text: words.until, cell: ({ restorableUntil }) => dateText(restorableUntil) },
      ]}
      actions={(redirect) => (
        <Button
          small
          aria-label={words.restoreOne(redirect.fromDomain)}
          onClick={() => void restore(redirect)}
        >
          {words.restore}
        </Button>
      )}
    />
  );
}
