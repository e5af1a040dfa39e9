import type { ComponentChildren } from 'preact';
import { PageHead, PartLinks } from '../../components/layout';
import { texts } from '../../texts/texts';
import { ACCOUNT_PARTS } from '../shell/parts';

const { tabs, title } = texts.account;

/** The layout of all account pages. */
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
      <PartLinks label={tabs.label} links={ACCOUNT_PARTS} />
      {children}
    </>
  );
}
