import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { HitRecorder, RedirectTally } from '../../dataplane/hits/hit-recorder.js';
import { packageRoot } from '../../shared/config/package-root.js';

const REDIRECTS = 1_000;
const VISITORS = 50_000;
const PATHS = 3_000;
const SITES = 200;
const LANGUAGES = [
  'en-US,en;q=0.9',
  'de-DE,de;q=0.9,en;q=0.5',
  'fr',
  'es-ES,es;q=0.8',
  'pt-BR',
  'ja',
] as const;

interface Corpus {
  readonly groups: readonly { readonly agents: readonly { readonly agent: string }[] }[];
}

/**
 * Creates a function that records the hit of the next visitor, as the request handler does. The visitors belong to many
 * redirects. Few user agents, paths and referrers are common and many are rare, as in real traffic. The user agents
 * come from the tests of device detection.
 */
export async function createManyVisitors(): Promise<(recorder: HitRecorder) => void> {
  const file = path.join(packageRoot(), 'shared', 'visitor', 'user-agents.json');
  const corpus: Corpus = JSON.parse(await readFile(file, 'utf8'));
  const agents = corpus.groups.flatMap(({ agents: ofGroup }) => ofGroup.map(({ agent }) => agent));
  const tallies = new Map<number, RedirectTally>();

  function tallyOf(recorder: HitRecorder, redirect: number): RedirectTally {
    const known = tallies.get(redirect);
    if (known !== undefined) return known;
    const tally = recorder.tallyOf(idOf(redirect));
    tallies.set(redirect, tally);
    return tally;
  }

  return (recorder) => {
    const redirect = skewed(REDIRECTS);
    const tally = tallyOf(recorder, redirect);
    recorder.countRequest(tally);
    const hit = recorder.claim(tally, idOf(redirect), 1);
    if (hit === undefined) return;
    const visitor = upTo(VISITORS);
    const item = skewed(PATHS);
    const campaign = upTo(10) < 3 ? `utm_source=newsletter&utm_medium=email&utm_campaign=c${skewed(40)}` : '';
    hit.host = `shop-${redirect}.bench.example`;
    hit.path = `/item-${item}`;
    hit.query = campaign;
    hit.location = `https://www.shop-${redirect}.example/item-${item}${campaign === '' ? '' : `?${campaign}`}`;
    hit.statusCode = 301;
    hit.method = 'GET';
    hit.userAgent = agents[visitor % agents.length] ?? '';
    hit.acceptLanguage = LANGUAGES[visitor % LANGUAGES.length] ?? '';
    hit.referrer = upTo(2) === 0 ? '' : `https://www.site-${skewed(SITES)}.example/page`;
    hit.address = `5.${35 + (visitor % 3)}.${visitor >> 8}.${visitor & 255}`;
    hit.rulesetVersion = '1.1';
  };
}

function idOf(redirect: number): string {
  return `bench-${redirect}`;
}

function upTo(limit: number): number {
  return Math.floor(Math.random() * limit);
}

/** Small numbers often, large ones seldom. */
function skewed(limit: number): number {
  return Math.floor(Math.random() ** 2 * limit);
}
