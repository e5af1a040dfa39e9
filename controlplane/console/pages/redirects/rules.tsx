import { LinkButton } from '../../components/button';
import { Card } from '../../components/layout';
import { EmptyState, Loaded } from '../../components/messages';
import { useRules } from '../../data/rules';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { TestCard } from '../../features/redirects/test-card';
import { RuleList } from '../../features/rules/rule-list';
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
