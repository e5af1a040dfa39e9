import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { account, operator, audit } = texts;

/** Pages of the account. */
export const ACCOUNT_PARTS = [
  { to: routes.account, text: account.tabs.plan },
  { to: routes.tokens, text: account.tabs.tokens },
  { to: routes.webhooks, text: account.tabs.webhooks },
  { to: routes.audit, text: audit.title },
  { to: routes.security, text: account.tabs.security },
] as const;

/** Pages of the operator. */
export const OPERATOR_PARTS = [
  { to: routes.operator, text: operator.tabs.dataplanes },
  { to: routes.certificates, text: operator.tabs.certificates },
  { to: routes.users, text: operator.tabs.users },
  { to: routes.takedowns, text: operator.tabs.takedowns },
  { to: routes.brokenDestinations, text: operator.tabs.destinations },
  { to: routes.operatorLog, text: operator.tabs.log },
] as const;
