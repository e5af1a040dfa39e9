import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { agoText, dateText } from '../../components/times';
import { useHealth } from '../../data/verification';
import { texts } from '../../texts/texts';

const { health: words } = texts.redirects;
const TONES: Readonly<Record<Schemas.Destination['health'], Tone>> = {
  ok: 'good',
  broken: 'bad',
  unknown: 'neutral',
};

/** Whether the destinations of a redirect work, and what is wrong with those that do not. */
export function HealthCard({ id }: { readonly id: string }) {
  const health = useHealth(id);
  return (
    <Card title={words.title}>
      <Loaded query={health}>
        {({ destinations }) =>
          destinations.length === 0 ? (
            <p class="quiet">{words.none}</p>
          ) : (
            <ul class="lines">
              {destinations.map((destination) => (
                <li key={destination.url}>
                  <Destination destination={destination} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Destination({ destination }: { readonly destination: Schemas.Destination }) {
  const { url, usedBy, health, checkedAt, failingSince } = destination;
  const isFailing = health === 'unknown' && failingSince !== null;
  return (
    <div class="rule-text">
      <p class="break">{url}</p>
      <p class="quiet">
        <Badge tone={isFailing ? 'warning' : TONES[health]}>
          {isFailing ? words.failingYet : words.states[health]}
        </Badge>{' '}
        {[
          usedBy.map((use) => words.uses[use]).join(', '),
          ...factsOf(destination),
          ...(checkedAt === null ? [] : [words.checked(agoText(checkedAt))]),
        ].join(' · ')}
      </p>
    </div>
  );
}

function factsOf(destination: Schemas.Destination): readonly string[] {
  const { statusCode, error, redirects, tlsExpiresAt, responseTimeMs, failingSince } = destination;
  const last = redirects.at(-1);
  return [
    ...(error === null ? [] : [words.errors[error] ?? error]),
    ...(statusCode === null ? [] : [words.answered(statusCode, responseTimeMs)]),
    ...(last === undefined ? [] : [words.leads(last.location)]),
    ...(failingSince === null ? [] : [words.failing(agoText(failingSince))]),
    ...(tlsExpiresAt === null ? [] : [words.tlsEnds(dateText(tlsExpiresAt))]),
  ];
}
