import type { Visitor } from '../attributes.js';
import { DRAWN_STATUS_CODE, type RedirectStatusCode } from '../redirect-status.js';
import type { DrawingAction, RuleDefinition, RuleTarget, Sticky } from '../rule-definition.js';
import type { RuleOutcome } from '../rule-matcher.js';
import { drawOf, seedOfRule, seedOfVariant } from './draw.js';
import { boundsOf, pickByRange, pickByRendezvous } from './pick.js';
import { stickyOf } from './sticky.js';
import { variantsOf } from './variants.js';

/** The compiled action of one rule. Chooses the outcome for a visitor. */
export interface Choice {
  /** The outcomes, without cookies. */
  readonly outcomes: readonly RuleOutcome[];
  choose(visitor: Visitor): RuleOutcome | undefined;
}

/** One possible result of a rule. */
interface Alternative {
  /** Empty unless it is a variant. */
  readonly variant: string;
  readonly target: RuleTarget | undefined;
  readonly percentage: number;
  /** Name of the alternative in a cookie. */
  readonly token: string;
}

/** Index of the alternative. */
type Pick = (visitor: Visitor) => number;

const COOKIE_ATTRIBUTES = 'Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax';

/**
 * Prepares the action of `rule`.
 *
 * @param firstIndex `RuleOutcome.index` of its first outcome; the others follow
 */
export function compileChoice(rule: RuleDefinition, firstIndex: number): Choice {
  const { id, action } = rule;
  if (action.type === 'redirect') return new OnlyOutcome(firstIndex, id, '', action);
  const alternatives = alternativesOf(id, action);
  const outcomes = alternatives.map(
    ({ variant, target }, place) => new Outcome(firstIndex + place, id, variant, target),
  );
  const sticky = stickyOf(action);
  const choice = new DrawnChoice(outcomes, pickFor(id, action.type, sticky, alternatives));
  return sticky === 'cookie' ? new RememberedChoice(id, alternatives, choice) : choice;
}

function alternativesOf(ruleId: number, action: DrawingAction): Alternative[] {
  switch (action.type) {
    case 'percentage_redirect':
      return [
        { variant: '', target: action, percentage: action.percentage, token: 'in' },
        { variant: '', target: undefined, percentage: 100 - action.percentage, token: 'out' },
      ];
    case 'ab_test':
      return variantsOf(action).map((variant) => ({
        variant: variant.name,
        target: variant,
        percentage: variant.percentage,
        // The name stays the same when other variants are added, removed or renamed.
        token: seedOfVariant(ruleId, variant.name).toString(36),
      }));
  }
}

function pickFor(
  ruleId: number,
  type: DrawingAction['type'],
  sticky: Sticky,
  alternatives: readonly Alternative[],
): Pick {
  const seed = seedOfRule(ruleId);
  if (sticky === 'visitor' && type === 'ab_test') {
    const shares = alternatives.map(({ variant, percentage }) => ({
      seed: seedOfVariant(ruleId, variant),
      weight: percentage,
    }));
    return (visitor) => pickByRendezvous(shares, visitor.visitorId());
  }
  // A percentage of 100 needs no draw, so the outcome is always the same.
  if (alternatives[0]?.percentage === 100) return () => 0;
  const bounds = boundsOf(alternatives.map(({ percentage }) => percentage));
  return sticky === 'visitor'
    ? (visitor) => pickByRange(bounds, drawOf(visitor.visitorId(), seed))
    : (visitor) => pickByRange(bounds, visitor.draw(seed));
}

class Outcome implements RuleOutcome {
  constructor(
    readonly index: number,
    readonly ruleId: number,
    readonly variant: string,
    readonly target: RuleTarget | undefined,
    readonly setCookie: string | undefined = undefined,
  ) {}

  // A getter takes no memory in the many outcomes.
  get statusCode(): RedirectStatusCode | undefined {
    return this.target === undefined ? undefined : (this.target.statusCode ?? DRAWN_STATUS_CODE);
  }
}

/**
 * The only outcome of a rule without a draw, which is also the choice. One object has both roles to save memory,
 * because there are many such rules.
 */
class OnlyOutcome extends Outcome implements Choice {
  get outcomes(): readonly RuleOutcome[] {
    return [this];
  }

  override get statusCode(): RedirectStatusCode | undefined {
    return this.target?.statusCode;
  }

  choose(): RuleOutcome {
    return this;
  }
}

class DrawnChoice implements Choice {
  constructor(
    readonly outcomes: readonly RuleOutcome[],
    readonly pick: Pick,
  ) {}

  choose(visitor: Visitor): RuleOutcome | undefined {
    return this.outcomes[this.pick(visitor)];
  }
}

/** Follows the visitor's cookie. If the visitor has no known cookie, draws a variant and sets the cookie. */
class RememberedChoice implements Choice {
  readonly outcomes: readonly RuleOutcome[];
  private readonly cookieName: string;
  private readonly byToken: ReadonlyMap<string, RuleOutcome>;
  private readonly withCookie: readonly RuleOutcome[];
  private readonly pick: Pick;

  constructor(ruleId: number, alternatives: readonly Alternative[], { outcomes, pick }: DrawnChoice) {
    const name = `wm_${ruleId}`;
    const tokenOf = (place: number) => alternatives[place]?.token ?? '';
    this.outcomes = outcomes;
    this.cookieName = name;
    this.byToken = new Map(outcomes.map((outcome, place) => [tokenOf(place), outcome]));
    this.withCookie = outcomes.map(({ index, variant, target }, place) => {
      const setCookie = `${name}=${tokenOf(place)}; ${COOKIE_ATTRIBUTES}`;
      return new Outcome(index, ruleId, variant, target, setCookie);
    });
    this.pick = pick;
  }

  choose(visitor: Visitor): RuleOutcome | undefined {
    const brought = visitor.cookie(this.cookieName);
    const remembered = brought === undefined ? undefined : this.byToken.get(brought);
    return remembered ?? this.withCookie[this.pick(visitor)];
  }
}
