import type { Schemas } from '@waymark/client';
import { Badge } from '../components/badge';
import { Button } from '../components/button';
import { Card } from '../components/layout';
import { ErrorNote, Loaded, Note } from '../components/messages';
import { Meter } from '../components/meter';
import { dateText } from '../components/times';
import { useBilling, useCheckout, usePlans, usePortal } from '../data/billing';
import { AccountFrame } from '../features/account/account-frame';
import { Payments } from '../features/account/payments';
import { PlanCards } from '../features/account/plan-cards';
import { texts } from '../texts/texts';

const { plan: words, tabs } = texts.account;
type Subscription = NonNullable<Schemas.GetBillingSummaryResponse['data']['subscription']>;

export default function AccountPage() {
  const billing = useBilling();
  const plans = usePlans();
  const checkout = useCheckout();
  const portal = usePortal();
  return (
    <AccountFrame part={tabs.plan}>
      <ErrorNote error={checkout.error ?? portal.error} />
      <Loaded query={billing}>
        {({ data: { currentPlan, subscription, recentTransactions, usageStats } }) => (
          <>
            <div class="columns">
              <Card title={words.use}>
                <Meter
                  label={words.redirects}
                  used={usageStats.redirectsUsed + usageStats.redirectsPending}
                  limit={usageStats.maxRedirects}
                />
                <Meter label={words.events} used={usageStats.totalAnalyticsEvents} limit={-1} />
                <p class="quiet">{words.eventsHint}</p>
              </Card>
              <SubscriptionCard
                plan={currentPlan}
                subscription={subscription}
                isBusy={portal.isPending}
                onPortal={() => portal.mutate()}
              />
            </div>
            <Loaded query={plans}>
              {({ plans: offered }) => (
                <PlanCards
                  plans={offered}
                  current={currentPlan}
                  isBusy={checkout.isPending}
                  onChoose={(id) => checkout.mutate(id)}
                />
              )}
            </Loaded>
            <Payments transactions={recentTransactions} />
          </>
        )}
      </Loaded>
    </AccountFrame>
  );
}

/** The current plan, and until when it applies. */
function SubscriptionCard({
  plan,
  subscription,
  isBusy,
  onPortal,
}: {
  readonly plan: Schemas.Plan;
  readonly subscription: Subscription | null;
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

function renewalOf({ cancelAtPeriodEnd, currentPeriodEnd, isTrialing, trialEnd }: Subscription): string {
  if (cancelAtPeriodEnd) return words.ends(dateText(currentPeriodEnd));
  if (isTrialing && trialEnd !== null) return words.trialEnds(dateText(trialEnd));
  return words.renews(dateText(currentPeriodEnd));
}
