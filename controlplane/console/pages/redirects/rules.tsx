import type { Rule } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Badge } from '../../components/badge';
import { Button, LinkButton } from '../../components/button';
import { Card } from '../../components/layout';
import { EmptyState, Loaded } from '../../components/messages';
import { useErrorToast, useToast } from '../../components/toasts';
import { useRuleChanges, useRules } from '../../data/rules';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { TestCard } from '../../features/redirects/test-card';
import { RuleSummary } from '../../features/rules/rule-summary';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { rules: words } = texts;

export default function RulesPage({ redirect }: RedirectPageProps) {
  const { id } = redirect;
  const rules = useRules(id);
  const add = (
    <LinkButton to={routes.newRule(id)} look="primary" icon="plus">
      {words.add}
    </LinkButton>
  );
  return (
    <Loaded query={rules}>
      {(list) =>
        list.length === 0 ? (
          <Card>
            <EmptyState {...words.empty} icon="route">
              {add}
            </EmptyState>
          </Card>
        ) : (
          <>
            <div class="part-head">
              <p class="quiet">{words.lead}</p>
              {add}
            </div>
            <Card flush>
              <RuleList id={id} rules={list} />
            </Card>
            <TestCard redirect={redirect} />
          </>
        )
      }
    </Loaded>
  );
}

/** Returns whether a rule compares variants. A percentage compares visitors inside with those outside. */
const isExperiment = ({ action }: Rule) =>
  action.type === 'ab_test' || (action.type === 'percentage_redirect' && (action.percentage ?? 100) < 100);

/** Lists the rules in their order. Users can drag rows, or move them with the arrow buttons. */
function RuleList({ id, rules }: { readonly id: string; readonly rules: readonly Rule[] }) {
  const { reorder, setStatus } = useRuleChanges(id);
  const toast = useToast();
  const [dragged, setDragged] = useState<number>();
  const fail = useErrorToast();

  function move(from: number, to: number) {
    const rule = rules[from];
    if (rule === undefined || from === to || to < 0 || to >= rules.length) return;
    const others = rules.filter((_, index) => index !== from);
    const focused = document.activeElement?.id ?? '';
    // Moving the row in the document removes the focus from its button. Restore it.
    requestAnimationFrame(() => document.getElementById(focused)?.focus());
    reorder([...others.slice(0, to), rule, ...others.slice(to)]).then(
      () => toast({ text: words.moved(rule.name, to + 1) }),
      fail,
    );
  }

  return (
    <ol class="rules">
      {rules.map((rule, index) => (
        <li
          key={rule.id}
          class={dragged === index ? 'rule rule-dragged' : 'rule'}
          draggable
          onDragStart={() => setDragged(index)}
          onDragEnd={() => setDragged(undefined)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged !== undefined) move(dragged, index);
            setDragged(undefined);
          }}
        >
          <span class="rule-place">{index + 1}</span>
          <div class="rule-text">
            <p>
              <Link href={routes.rule(id, rule.id)} class="rule-name">
                {rule.name}
              </Link>{' '}
              {rule.status !== 'active' && <Badge>{words.status[rule.status]}</Badge>}
            </p>
            <RuleSummary rule={rule} />
            <p class="quiet">
              {words.hits(rule.hitCount)}
              {isExperiment(rule) && (
                <>
                  {' · '}
                  <Link href={routes.results(id, rule.id)} aria-label={texts.experiments.openOne(rule.name)}>
                    {texts.experiments.open}
                  </Link>
                </>
              )}
            </p>
          </div>
          <div class="rule-actions">
            <input
              type="checkbox"
              class="switch"
              aria-label={words.activate(rule.name)}
              title={words.activate(rule.name)}
              checked={rule.status === 'active'}
              onChange={({ currentTarget }) =>
                void setStatus(rule.id, currentTarget.checked ? 'active' : 'inactive').catch(fail)
              }
            />
            <Button
              small
              icon="up"
              label={words.up(rule.name)}
              id={`up-${rule.id}`}
              aria-disabled={index === 0}
              onClick={() => move(index, index - 1)}
            />
            <Button
              small
              icon="down"
              label={words.down(rule.name)}
              id={`down-${rule.id}`}
              aria-disabled={index === rules.length - 1}
              onClick={() => move(index, index + 1)}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}
