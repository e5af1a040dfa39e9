import type { ComponentChildren } from 'preact';
import { PageHead, PartLinks } from '../../components/layout';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { tabs, title } = texts.account;

/** The frame of all pages of the account. */
export function AccountFrame({
  part,
  actions,
  children,
}: {
  readonly part: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <PageHead title={title} tab={part} actions={actions} />
      <PartLinks
        label={tabs.label}
        links={[
          { to: routes.account, text: tabs.plan },
          { to: routes.tokens, text: tabs.tokens },
          { to: routes.webhooks, text: tabs.webhooks },
          { to: routes.audit, text: texts.audit.title },
          { to: routes.security, text: tabs.security },
        ]}
      />
      {children}
    </>
  );
}
