import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { Note } from '../../components/messages';
import { dateText } from '../../components/times';
import { texts } from '../../texts/texts';

const { plan: words } = texts.account;

/** The present plan, and until when it applies. */
export function SubscriptionCard({
  plan,
  subscription,
  isBusy,
  onPortal,
}: {
  readonly plan: Schemas.Plan;
  readonly subscription: Schemas.GetBillingSummaryResponse['data']['subscription'];
  readonly isBusy: boolean;
  readonly onPortal: () => void;
}) {
  return (
    <Card title={words.current} actions={<Badge tone="accent">{plan.name}</Badge>}>
      <p>{plan.description}</p>
      {subscription && (
        <>
          <p class="quiet">{renewalOf(subscription)}</p>
          {subscription.status === 'past_due' && <Note icon="alert">{words.grace}</Note>}
          <div>
            <Button icon="external" isBusy={isBusy} onClick={onPortal}>
              {words.portal}
            </Button>
          </div>
        </>
      )}
    </Card>
  );
}

function renewalOf({
  cancelAtPeriodEnd,
  currentPeriodEnd,
  isTrialing,
  trialEnd,
}: NonNullable<Schemas.GetBillingSummaryResponse['data']['subscription']>): string {
  if (cancelAtPeriodEnd) return words.ends(dateText(currentPeriodEnd));
  if (isTrialing && trialEnd !== null) return words.trialEnds(dateText(trialEnd));
  return words.renews(dateText(currentPeriodEnd));
}
