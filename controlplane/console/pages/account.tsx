import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../components/badge';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { Card } from '../components/layout';
import { ErrorNote, Loaded, Note } from '../components/messages';
import { Meter } from '../components/meter';
import { Table } from '../components/table';
import { dateText } from '../components/times';
import { useBilling, useCheckout, usePlans, usePortal } from '../data/account';
import { AccountFrame } from '../features/account/account-frame';
import { texts } from '../texts/texts';

const { plan: words, tabs, money } = texts.account;
const { columns } = words;
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

/** Shows the current plan and its end. */
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
          <Button icon="external" isBusy={isBusy} onClick={onPortal}>
            {words.portal}
          </Button>
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

/** Shows the available plans side by side. */
function PlanCards({
  plans,
  current,
  isBusy,
  onChoose,
}: {
  readonly plans: readonly Schemas.Plan[];
  readonly current: Schemas.Plan;
  readonly isBusy: boolean;
  readonly onChoose: (planId: string) => void;
}) {
  const shown = plans.filter(({ isActive }) => isActive).sort((one, other) => one.tier - other.tier);
  return (
    <section class="stack" aria-label={words.plans}>
      <h2>{words.plans}</h2>
      <div class="plans">
        {shown.map((plan) => (
          <article key={plan.id} class={plan.id === current.id ? 'card plan plan-current' : 'card plan'}>
            <header class="card-head">
              <h3>{plan.name}</h3>
              {plan.id === current.id && <Badge tone="accent">{words.yours}</Badge>}
            </header>
            <p>
              <strong class="price">
                {plan.pricing.amount === 0 ? words.free : money(plan.pricing.amount, plan.pricing.currency)}
              </strong>{' '}
              {plan.pricing.amount > 0 && <span class="quiet">{words.per(plan.pricing.interval)}</span>}
            </p>
            <PlanLimits plan={plan} />
            {plan.id !== current.id && plan.pricing.amount > 0 && (
              <Button look="primary" isBusy={isBusy} onClick={() => onChoose(plan.id)}>
                {words.choose(plan.name)}
              </Button>
            )}
          </article>
        ))}
      </div>
    </section>
  );
}

function PlanLimits({ plan: { limits, pricing } }: { readonly plan: Schemas.Plan }) {
  const { perRedirect, maxRedirects } = limits;
  const lines = [
    words.limits.redirects(maxRedirects),
    words.limits.events(perRedirect.maxAnalyticsEvents),
    words.limits.rules(perRedirect.maxRulesPerRedirect),
    words.limits.retention(perRedirect.analyticsRetentionDays),
    ...(pricing.trialDays > 0 ? [words.trial(pricing.trialDays)] : []),
  ];
  return (
    <ul class="ticks">
      {lines.map((line) => (
        <li key={line}>
          <Icon name="check" />
          {line}
        </li>
      ))}
    </ul>
  );
}

const TONES: Readonly<Record<string, Tone>> = { succeeded: 'good', failed: 'bad', pending: 'warning' };

/** Lists the newest payments with their documents. */
function Payments({ transactions }: { readonly transactions: readonly Schemas.Transaction[] }) {
  return (
    <Card title={words.payments} flush>
      <Table
        label={words.payments}
        rows={transactions}
        keyOf={({ id }) => id}
        columns={[
          { text: columns.date, cell: ({ createdAt }) => dateText(createdAt) },
          { text: columns.type, cell: ({ type }) => type.replaceAll('_', ' ') },
          {
            text: columns.status,
            cell: ({ status }) => (
              <Badge tone={TONES[status] ?? 'neutral'}>{status.replaceAll('_', ' ')}</Badge>
            ),
          },
          {
            text: columns.amount,
            class: 'number',
            cell: ({ amount, currency }) => money(amount, currency),
          },
          { text: columns.document, cell: documentOf },
        ]}
        empty={<p class="card-note">{words.noPayments}</p>}
      />
    </Card>
  );
}

function documentOf({ invoiceUrl, receiptUrl }: Schemas.Transaction) {
  if (!invoiceUrl && !receiptUrl) return '–';
  return (
    <a href={invoiceUrl || receiptUrl || ''} target="_blank" rel="noreferrer">
      {invoiceUrl ? words.invoice : words.receipt}
    </a>
  );
}
