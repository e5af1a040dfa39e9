import type { LoadAnswer, LoadPlan, LoadRequest, LoadStats } from './load-messages.js';
import { type PlaneLoad, startPlaneLoad } from './plane-load.js';

/** The visitors, in a separate process that its parent controls. */
const TICK_MS = 5;

let planes: readonly PlaneLoad[] = [];
let pace: NodeJS.Timeout | undefined;

async function begin(plan: LoadPlan): Promise<void> {
  planes = plan.ports.map((port) => startPlaneLoad(port, plan));
  await Promise.all(planes.map((plane) => plane.setMode('up')));
  pace = setInterval(() => {
    const nowMs = performance.now();
    for (const plane of planes) plane.tick(nowMs);
  }, TICK_MS);
}

const stats = (): LoadStats => ({
  planes: planes.map(({ tally }) => tally.stats()),
});

async function finish(): Promise<LoadStats> {
  await Promise.all(planes.map((plane) => plane.setMode('off')));
  clearInterval(pace);
  for (const plane of planes) plane.close();
  return stats();
}

function seen(): number[][] {
  const [first] = planes;
  const hosts = first === undefined ? [] : first.tally.seen.map((_, host) => host);
  return hosts.map((host) => [...new Set(planes.flatMap(({ tally }) => [...(tally.seen[host] ?? [])]))]);
}

async function answer(request: LoadRequest): Promise<LoadAnswer> {
  switch (request.type) {
    case 'begin':
      await begin(request.plan);
      return undefined;
    case 'set-mode':
      await planes[request.plane]?.setMode(request.mode);
      return undefined;
    case 'stats':
      return stats();
    case 'seen':
      return seen();
    case 'finish':
      return finish();
  }
}

process.on('message', ({ id, request }: { id: number; request: LoadRequest }) => {
  void answer(request).then((value) => process.send?.({ id, value }));
});
process.on('disconnect', () => process.exit(0));
