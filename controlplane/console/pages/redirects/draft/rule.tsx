import type { Rule } from '@waymark/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../../../components/button';
import { Card } from '../../../components/layout';
import { Loaded } from '../../../components/messages';
import { type DraftedRule, draftedRule, useDraft, useDraftChanges } from '../../../data/drafts';
import { type RuleBody, useCatalogue, useRules } from '../../../data/rules';
import { inPart } from '../../../features/drafts/in-part';
import { EditConflict, mergedInto } from '../../../features/drafts/merged-item';
import { DifferenceTable } from '../../../features/history/difference-table';
import type { RedirectPageProps } from '../../../features/redirects/redirect-frame';
import { RuleForm } from '../../../features/rules/rule-form';
import { routes } from '../../../routing/routes';
import { texts } from '../../../texts/texts';
import { NotFoundPage } from '../../not-found';

const { drafts: words, rules: ruleWords } = texts;

export default function DraftRulePage({ redirect: { id }, params: { place = '' } }: RedirectPageProps) {
  const draft = useDraft(id);
  const live = useRules(id);
  return (
    <Loaded query={draft}>
      {(stored) => (
        <Loaded query={live}>
          {(rules) => <DraftRule id={id} place={place} rules={stored?.rules ?? rules.map(draftedRule)} />}
        </Loaded>
      )}
    </Loaded>
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
  const [index] = useState(place === 'new' ? rules.length : Number(place));
  /** The rule when the form was opened, or its later state that a conflict has shown. Undefined for a new rule. */
  const [base, setBase] = useState(rules[index]);
  const [isKnown] = useState(base !== undefined || place === 'new');
  const [conflict, setConflict] = useState<EditConflict<DraftedRule>>();
  if (!isKnown) return <NotFoundPage />;

  async function save(body: RuleBody, changed: Partial<RuleBody>): Promise<void> {
    const merged = (list: readonly DraftedRule[]) =>
      base === undefined
        ? [...list, body]
        : mergedInto(list, { base, former: index, changed }, words.conflict.message);
    try {
      const work = edit((content) => ({ ...content, rules: merged(content.rules ?? rules) }));
      await inPart(`rules.${index}`, work);
    } catch (error) {
      if (error instanceof EditConflict) setConflict(error);
      throw error;
    }
  }

  return (
    <>
      <Link href={routes.redirectPart(id, 'draft')} class="back">
        {words.backToDraft}
      </Link>
      <h2>{base?.name ?? ruleWords.form.newTitle}</h2>
      {conflict && (
        <ConflictCard
          conflict={conflict}
          onKeep={() => {
            setBase(conflict.theirs);
            setConflict(undefined);
          }}
        />
      )}
      <Loaded query={catalogue}>
        {(loaded) => (
          <RuleForm
            id={id}
            rule={base as Rule | undefined}
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

/** Shows changes that another user made while a form was open. The form keeps its input. */
function ConflictCard({
  conflict,
  onKeep,
}: {
  readonly conflict: EditConflict<unknown>;
  readonly onKeep: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [conflict]);
  return (
    <div ref={element}>
      <Card
        title={words.conflict.title}
        lead={conflict.theirs === undefined ? words.conflict.removed : words.conflict.body}
      >
        {conflict.theirs !== undefined && (
          <DifferenceTable
            label={words.conflict.title}
            differences={conflict.differences}
            ruleNames={new Map()}
          />
        )}
        <Button onClick={onKeep}>{words.conflict.keep}</Button>
      </Card>
    </div>
  );
}
