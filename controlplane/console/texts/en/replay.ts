import { imports } from './imports';
import { number, percent as percentOf } from './numbers';

const percent = (share: number) => percentOf(share, share < 0.01 ? 2 : 1);

export const replay = {
  percent,
  title: 'Replay',
  lead: 'See what recorded visits would have received, before a change goes live. Visitors notice nothing.',
  form: {
    title: 'Replay visits',
    what: 'Judge visits by',
    whats: { draft: 'The draft', current: 'The rules in force', version: 'An earlier version' },
    noDraft: 'There is no draft. Make one first, or choose something else.',
    version: 'Version',
    start: 'From',
    end: 'To',
    sample: 'At most this many visits',
    sampleHint: 'Of more visits a random sample is judged, and shares get an interval. Empty: 10,000,000.',
    submit: 'Start the replay',
  },
  list: {
    title: 'Replays',
    columns: { created: 'Started', what: 'Judged by', period: 'Visits', state: 'State', changed: 'Changed' },
    whats: { stored: 'the draft on version', given: 'a given draft on version', version: 'version' },
    what: (what: string, version: string) => `${what} ${version}`,
    span: (start: string, end: string) => `${start} to ${end}`,
    open: (time: string) => `Open the replay of ${time}`,
    empty: {
      title: 'No replays yet',
      body: 'Results appear here. They are kept for 30 days, the newest 50.',
    },
  },
  versions: {
    title: 'Visits by version',
    lead: 'The version of the redirect that answered the visits of the period.',
    columns: { version: 'Version', visits: 'Visits', share: 'Share' },
    unknown: 'Not known',
    several:
      'The redirect was changed in this period. Visits of an earlier version may count as changed because of that change alone.',
    atStart: (version: number) =>
      `The period begins right at a change: version ${number(version)} was made within a minute of its start. Data planes may have answered the first visits by the version before.`,
  },
  again: 'New replay',
  states: imports.states,
  progress: 'Visits judged',
  cancel: 'Cancel replay',
  period: (start: string, end: string) => `Visits from ${start} to ${end}`,
  none: {
    title: 'No visits in this period',
    body: 'Nobody came, or nothing was recorded. Choose a longer period.',
  },
  outcomes: {
    title: 'Outcome',
    unchanged: 'Unchanged',
    changed: 'Changed',
    unjudged: 'Cannot be judged',
    otherDestination: 'Other destination',
    otherRule: 'Other rule',
    otherVariant: 'Other variant',
    newLoops: 'New loops',
  },
  same: 'Every visit that could be judged would get the same answer.',
  sampled: (replayed: number, total: number) =>
    `A random sample of ${number(replayed)} of about ${number(total)} visits was judged. Intervals hold in 95 % of samples.`,
  changes: {
    title: 'What would change',
    columns: {
      from: 'Received',
      to: 'Would receive',
      visits: 'Visits',
      share: 'Share',
      examples: 'Examples',
    },
    rest: 'All others',
    noRule: 'No rule',
    rule: (name: string) => `Rule “${name}”`,
    variant: (name: string) => `variant ${name}`,
    interval: (low: number, high: number) => `${percent(low)} to ${percent(high)}`,
  },
  rules: {
    title: 'Rules',
    columns: { rule: 'Rule', before: 'Decided', after: 'Would decide', state: 'State' },
    states: {
      decides: 'Decides visits',
      shadowed: 'Shadowed: an earlier rule takes its visits',
      matches_nothing: 'Matches no visit',
      unknown: 'Unknown, because of missing data',
      removed: 'Removed',
    },
  },
  gaps: {
    title: 'What cannot be judged',
    lead: 'These visits lack something that decides. Nothing is guessed.',
    columns: { attribute: 'What is missing', reason: 'Why', visits: 'Visits', share: 'Share' },
    reasons: {
      not_recorded: 'Hits do not hold it',
      shortened: 'Hits hold a shortened value',
      masked: 'The value is masked',
      not_drawn: 'No number was drawn for these visits then',
      refused: 'The answer was refused',
    },
  },
  loop: (hosts: string) => `This would close a loop: ${hosts}.`,
} as const;
