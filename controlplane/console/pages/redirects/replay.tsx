import { Loaded } from '../../components/messages';
import { useDraft } from '../../data/drafts';
import { useReplay } from '../../data/replay';
import { RedirectFrame } from '../../features/redirects/redirect-frame';
import { ReplayList } from '../../features/replay/replay-list';
import { ReplayResult } from '../../features/replay/replay-result';
import { StartForm } from '../../features/replay/start-form';
import { texts } from '../../texts/texts';

/** @param replayId undefined for the form that starts a replay */
export default function ReplayPage({
  id,
  replayId,
}: {
  readonly id: string;
  readonly replayId: string | undefined;
}) {
  return (
    <RedirectFrame id={id} part={texts.replay.title}>
      {() => (replayId === undefined ? <Start id={id} /> : <Result replayId={replayId} />)}
    </RedirectFrame>
  );
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
