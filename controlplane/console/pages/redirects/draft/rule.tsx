import { Link } from 'wouter-preact';
import { Loaded } from '../../../components/messages';
import { type DraftedRule, draftedRule, useDraft, useDraftChanges } from '../../../data/drafts';
import { type Rule, type RuleBody, useCatalogue, useRules } from '../../../data/rules';
import { inPart } from '../../../features/drafts/in-part';
import { RedirectFrame } from '../../../features/redirects/redirect-frame';
import { RuleForm } from '../../../features/rules/rule-form';
import { routes } from '../../../routing/routes';
import { texts } from '../../../texts/texts';
import { NotFoundPage } from '../../not-found';

const { drafts: words, rules: ruleWords } = texts;

/** @param place of the rule in the draft, from 0; `new` for another rule at the end */
export default function DraftRulePage({ id, place }: { readonly id: string; readonly place: string }) {
  const draft = useDraft(id);
  const live = useRules(id);
  return (
    <RedirectFrame id={id} part={words.rules.formTitle}>
      {() => (
        <Loaded query={draft}>
          {(stored) => (
            <Loaded query={live}>
              {(rules) => <DraftRule id={id} place={place} rules={stored?.rules ?? rules.map(draftedRule)} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </RedirectFrame>
  );
}

function DraftRule({
  id,
  place,
  rules,
}: {
  readonly id: string;
  readonly place: string;
  readonly rules: readonly DraftedRule[];
}) {
  const catalogue = useCatalogue();
  const { edit } = useDraftChanges(id);
  const index = place === 'new' ? rules.length : Number(place);
  const rule = rules[index];
  if (rule === undefined && place !== 'new') return <NotFoundPage />;
  const save = (body: RuleBody) =>
    inPart(
      `rules.${index}`,
      edit((content) => ({ ...content, rules: replaced(rules, index, { ...rule, ...body }) })),
    );
  return (
    <>
      <Link href={routes.redirectPart(id, 'draft')} class="back">
        {words.backToDraft}
      </Link>
      <h2>{rule?.name ?? ruleWords.form.newTitle}</h2>
      <Loaded query={catalogue}>
        {(loaded) => (
          <RuleForm
            id={id}
            rule={rule as Rule | undefined}
            catalogue={loaded}
            draft={`draft rule ${id} ${place}`}
            back={routes.redirectPart(id, 'draft')}
            save={save}
          />
        )}
      </Loaded>
    </>
  );
}

/** Returns the rules with one of them replaced, or added at the end. */
function replaced(rules: readonly DraftedRule[], index: number, rule: DraftedRule): readonly DraftedRule[] {
  return [...rules.slice(0, index), rule, ...rules.slice(index + 1)];
}
