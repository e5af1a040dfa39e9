import type { ComponentChildren } from 'preact';
import { PageHead, PartLinks } from '../../components/layout';
import { Note } from '../../components/messages';
import { useAccount } from '../../data/account';
import { texts } from '../../texts/texts';
import { OPERATOR_PARTS } from '../shell/parts';

const { tabs, title, onlyOperator } = texts.operator;

/** The layout of the operator's pages. Other users see a message that the pages are for operators only. */
export function OperatorFrame({
  part,
  actions,
  children,
}: {
  readonly part: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { data: account } = useAccount();
  if (account === undefined) return null;
  if (!account.isOperator) {
    return (
      <>
        <PageHead title={title} />
        <Note icon="alert">{onlyOperator}</Note>
      </>
    );
  }
  return (
    <>
      <PageHead title={title} tab={part} actions={actions} />
      <PartLinks label={tabs.label} links={OPERATOR_PARTS} />
      {children}
    </>
  );
}
