import { Loaded } from '../../components/messages';
import { useDraft } from '../../data/drafts';
import { useReplay } from '../../data/replay';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { ReplayList } from '../../features/replay/replay-list';
import { ReplayResult } from '../../features/replay/replay-result';
import { StartForm } from '../../features/replay/start-form';

export default function ReplayPage({ redirect: { id }, params: { replayId } }: RedirectPageProps) {
  return replayId === undefined ? <Start id={id} /> : <Result replayId={replayId} />;
}

function Start({ id }: { readonly id: string }) {
  const draft = useDraft(id);
  return (
    <>
      <div class="narrow">
        <Loaded query={draft}>{(stored) => <StartForm id={id} hasDraft={stored !== null} />}</Loaded>
      </div>
      <ReplayList id={id} />
    </>
  );
}

function Result({ replayId }: { readonly replayId: string }) {
  const replay = useReplay(replayId);
  return <Loaded query={replay}>{(data) => <ReplayResult replay={data} />}</Loaded>;
}
