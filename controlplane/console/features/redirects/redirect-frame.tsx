import type { Redirect } from '@waymark/client';
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Icon } from '../../components/icon';
import { PageHead, PartLinks } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { useRedirect } from '../../data/redirects';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { StatusBadge } from './status-badge';

const { detail } = texts.redirects;

/** Props of each page of a redirect. */
export interface RedirectPageProps {
  readonly redirect: Redirect;
  /** Further parameters of the URL. */
  readonly params: {
    /** `new` for a new rule. */
    readonly ruleId?: string;
    /** Index of a rule in the draft, from 0; `new` for another rule at the end. */
    readonly place?: string;
    /** Absent for the form that starts a replay. */
    readonly replayId?: string;
  };
}

/** The layout of all pages of one redirect: its name and state, and links to its parts. */
export function RedirectFrame({
  id,
  part,
  children,
}: {
  readonly id: string;
  readonly part: string;
  readonly children: (redirect: Redirect) => ComponentChildren;
}) {
  const query = useRedirect(id);
  return (
    <Loaded query={query}>
      {(redirect) => (
        <>
          <Link href={routes.redirects} class="back">
            {texts.redirects.title}
          </Link>
          <PageHead
            title={redirect.fromDomain}
            tab={`${redirect.fromDomain} · ${part}`}
            actions={<StatusBadge status={redirect.status} />}
          >
            <p class="route">
              <Icon name="arrow" />
              <span>
                <span class="visually-hidden">{detail.leadsTo}</span>{' '}
                <a href={redirect.toDomain} target="_blank" rel="noreferrer">
                  {redirect.toDomain}
                </a>{' '}
                {redirect.statusCode}
              </span>
            </p>
          </PageHead>
          <PartLinks
            label={detail.tabs.label}
            links={[
              { to: routes.redirect(id), text: detail.tabs.overview },
              { to: routes.redirectPart(id, 'rules'), text: detail.tabs.rules },
              { to: routes.redirectPart(id, 'paths'), text: detail.tabs.paths },
              { to: routes.redirectPart(id, 'statistics'), text: detail.tabs.statistics },
              { to: routes.redirectPart(id, 'examples'), text: texts.examples.title },
              { to: routes.redirectPart(id, 'draft'), text: texts.drafts.title },
              { to: routes.redirectPart(id, 'replay'), text: texts.replay.title },
              { to: routes.redirectPart(id, 'history'), text: texts.history.title },
              { to: routes.redirectPart(id, 'settings'), text: detail.tabs.settings },
            ]}
          />
          {children(redirect)}
        </>
      )}
    </Loaded>
  );
}
