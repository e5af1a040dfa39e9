import type { Redirect } from '@waymark/client';
import { useState } from 'preact/hooks';
import { ErrorNote, Loaded } from '../../components/messages';
import { type Draft, type DraftContent, outdatedOf, useDraft, useDraftChanges } from '../../data/drafts';
import { useRules } from '../../data/rules';
import { testDraft } from '../../data/test-visit';
import { DraftHead } from '../../features/drafts/draft-head';
import { DraftProblems, OutdatedCard } from '../../features/drafts/draft-problems';
import { PathsPart, SettingsPart } from '../../features/drafts/parts';
import { RulesPart } from '../../features/drafts/rules-part';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { TestCard } from '../../features/redirects/test-card';
import { texts } from '../../texts/texts';

const { drafts: words } = texts;

export default function DraftPage({ redirect }: RedirectPageProps) {
  const query = useDraft(redirect.id);
  return <Loaded query={query}>{(draft) => <DraftOf redirect={redirect} draft={draft} />}</Loaded>;
}

function DraftOf({ redirect, draft }: { readonly redirect: Redirect; readonly draft: Draft | null }) {
  const { id } = redirect;
  const { edit } = useDraftChanges(id);
  const rules = useRules(id);
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const change = (
    how: (content: DraftContent) => DraftContent | Promise<DraftContent>,
    done?: () => void,
  ) => {
    setProblem(undefined);
    setBusy(true);
    void edit(how)
      .then(done, setProblem)
      .finally(() => setBusy(false));
  };
  return (
    <>
      {draft === null ? (
        <p class="lead">{words.lead}</p>
      ) : (
        <>
          <DraftHead id={id} draft={draft} onRefused={setRefusal} />
          {outdatedOf(refusal) && (
            <OutdatedCard id={id} draft={draft} error={refusal} onDone={() => setRefusal(undefined)} />
          )}
          <DraftProblems draft={draft} />
        </>
      )}
      <ErrorNote error={problem} />
      <SettingsPart redirect={redirect} changed={draft?.redirect} onEdit={change} />
      <Loaded query={rules}>
        {(live) => <RulesPart id={id} live={live} rules={draft?.rules} isBusy={isBusy} onEdit={change} />}
      </Loaded>
      <PathsPart id={id} paths={draft?.paths} onEdit={change} />
      {draft !== null && <TestCard redirect={redirect} lead={words.testLead} visit={testDraft} />}
    </>
  );
}
