import type { Rule } from '@waymark/client';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/dialog';
import { Loaded } from '../../components/messages';
import { useErrorToast, useToast } from '../../components/toasts';
import { useCatalogue, useRuleChanges, useRules } from '../../data/rules';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { RuleForm } from '../../features/rules/rule-form';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { NotFoundPage } from '../not-found';

const { rules: words } = texts;

export default function RulePage({ redirect: { id }, params: { ruleId } }: RedirectPageProps) {
  const rules = useRules(id);
  const catalogue = useCatalogue();
  const { create, update } = useRuleChanges(id);
  return (
    <Loaded query={rules}>
      {(list) => {
        const rule = list.find((other) => String(other.id) === ruleId);
        if (rule === undefined && ruleId !== 'new') return <NotFoundPage />;
        return (
          <>
            <div class="part-head">
              <h2>{rule?.name ?? words.form.newTitle}</h2>
              {rule && <RuleActions id={id} rule={rule} />}
            </div>
            <Loaded query={catalogue}>
              {(loaded) => (
                <RuleForm
                  key={ruleId}
                  id={id}
                  rule={rule}
                  catalogue={loaded}
                  draft={`rule ${id} ${ruleId}`}
                  back={routes.redirectPart(id, 'rules')}
                  save={(body, changed) => (rule === undefined ? create(body) : update(rule.id, changed))}
                />
              )}
            </Loaded>
          </>
        );
      }}
    </Loaded>
  );
}

function RuleActions({ id, rule }: { readonly id: string; readonly rule: Rule }) {
  const { duplicate, remove } = useRuleChanges(id);
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const toast = useToast();
  const back = (text: string) => {
    toast({ text });
    navigate(routes.redirectPart(id, 'rules'));
  };
  const fail = useErrorToast();
  return (
    <div class="button-row">
      <Button
        small
        icon="copy"
        onClick={() => void duplicate(rule.id).then((made) => back(words.duplicated(made.rule.name)), fail)}
      >
        {words.duplicate}
      </Button>
      <Button small look="danger" icon="trash" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={words.confirmDelete.title(rule.name)}
          body={words.confirmDelete.body}
          action={words.delete}
          onClose={() => setAsking(false)}
          onConfirm={() => void remove(rule.id).then(() => back(words.deleted(rule.name)), fail)}
        />
      )}
    </div>
  );
}
