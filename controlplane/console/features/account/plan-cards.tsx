import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Icon } from '../../components/icon';
import { texts } from '../../texts/texts';

const { plan: words, money } = texts.account;

/** The plans that can be chosen, side by side. */
export function PlanCards({
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
