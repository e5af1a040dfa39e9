import { Card } from '../components/layout';
import { ErrorNote, Loaded } from '../components/messages';
import { Meter } from '../components/meter';
import { useBilling, useCheckout, usePlans, usePortal } from '../data/billing';
import { AccountFrame } from '../features/account/account-frame';
import { Payments } from '../features/account/payments';
import { PlanCards } from '../features/account/plan-cards';
import { SubscriptionCard } from '../features/account/subscription-card';
import { texts } from '../texts/texts';

const { plan: words, tabs } = texts.account;

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
