import { LinkButton } from '../components/button';
import { PageHead } from '../components/layout';
import { EmptyState } from '../components/messages';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

export function NotFoundPage() {
  return (
    <>
      <PageHead title={texts.shell.notFoundTitle} />
      <EmptyState title={texts.shell.notFoundTitle} body={texts.shell.notFoundBody} icon="route">
        <LinkButton to={routes.redirects} look="primary">
          {texts.shell.backToRedirects}
        </LinkButton>
      </EmptyState>
    </>
  );
}
