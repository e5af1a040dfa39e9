import type { Redirect, Schemas, VerificationReport } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Button } from '../../components/button';
import { CopyField } from '../../components/copy-field';
import { Card } from '../../components/layout';
import { ErrorNote, Loaded } from '../../components/messages';
import { Meter } from '../../components/meter';
import { agoText, dateText, timeText } from '../../components/times';
import { useHealth, useVerification, useZoneProof } from '../../data/verification';
import { CertificateCard } from '../../features/redirects/certificate-card';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { TestCard } from '../../features/redirects/test-card';
import { LiveVisits } from '../../features/statistics/live-visits';
import { texts } from '../../texts/texts';

const { detail, dns, health: healthWords, zone } = texts.redirects;

export default function OverviewPage({ redirect }: RedirectPageProps) {
  return (
    <div class="columns">
      <div class="stack">
        {!redirect.isVerified && <DnsCard redirect={redirect} />}
        <TestCard redirect={redirect} />
      </div>
      <div class="stack">
        <Card>
          <Meter
            label={detail.visits}
            used={redirect.analyticsUsage.recordedHits}
            limit={redirect.analyticsUsage.planLimit}
          />
          <LiveVisits id={redirect.id} />
        </Card>
        {redirect.isVerified && <DnsCard redirect={redirect} />}
        <CertificateCard redirect={redirect} />
        <HealthCard id={redirect.id} />
      </div>
    </div>
  );
}

/** Shows the DNS record that verifies the domain, and the current answer of DNS. */
function DnsCard({ redirect }: { readonly redirect: Redirect }) {
  const { fromDomain, id, isVerified, verification, verifiedAt } = redirect;
  const check = useVerification(fromDomain, id, isVerified);
  if (isVerified) {
    return (
      <Card title={dns.verifiedTitle}>
        <p>{dns.verifiedSince(verifiedAt === null ? '' : timeText(verifiedAt))}</p>
      </Card>
    );
  }
  return (
    <Card title={dns.title} lead={dns.lead}>
      <div class="copy-list">
        <CopyField label={dns.type} value={verification.recordType} />
        <CopyField label={dns.name} value={verification.name} />
        <CopyField label={dns.value} value={verification.value} />
      </div>
      <ZoneRecord domain={fromDomain} />
      <ErrorNote error={check.error} />
      {check.data && <DnsAnswer report={check.data} />}
      <Button icon="clock" isBusy={check.isFetching} onClick={() => void check.refetch()}>
        {check.isFetching ? dns.checking : dns.check}
      </Button>
    </Card>
  );
}

/** Shows one record that verifies all hosts of the zone. */
function ZoneRecord({ domain }: { readonly domain: string }) {
  const proof = useZoneProof(domain);
  if (proof.data === undefined) return <ErrorNote error={proof.error} />;
  const { zone: zoneName, name, zoneValue } = proof.data;
  return (
    <details>
      <summary>{zone.title(zoneName)}</summary>
      <div class="stack-small zone-record">
        <p class="quiet">{zone.lead}</p>
        <div class="copy-list">
          <CopyField label={dns.type} value="TXT" />
          <CopyField label={dns.name} value={name} />
          <CopyField label={dns.value} value={zoneValue} />
        </div>
      </div>
    </details>
  );
}

function DnsAnswer({ report }: { readonly report: VerificationReport }) {
  const { status, found, instructions, checkedAt } = report;
  return (
    <section class="stack-small" aria-live="polite">
      <h3>{dns.now}</h3>
      <div class={status.success ? 'note note-good' : 'note note-warning'}>
        <div>
          <strong>{status.title}</strong>
          <p>{status.summary}</p>
          <p>{status.detail}</p>
        </div>
      </div>
      {found.length === 0 ? (
        <p class="quiet">{dns.nothingFound}</p>
      ) : (
        <ul class="plain-list">
          {found.map((value) => (
            <li key={value}>
              <code>{value}</code>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>{dns.nextSteps}</summary>
        <ol class="steps">
          {instructions.steps.map(({ step, description }) => (
            <li key={step}>{description}</li>
          ))}
        </ol>
      </details>
      <p class="quiet">{dns.checkedAt(timeText(checkedAt))}</p>
    </section>
  );
}

const TONES: Readonly<Record<Schemas.Destination['health'], Tone>> = {
  ok: 'good',
  broken: 'bad',
  unknown: 'neutral',
};

/** Shows the health of a redirect's destinations, with the error of each broken one. */
function HealthCard({ id }: { readonly id: string }) {
  const health = useHealth(id);
  return (
    <Card title={healthWords.title}>
      <Loaded query={health}>
        {({ destinations }) =>
          destinations.length === 0 ? (
            <p class="quiet">{healthWords.none}</p>
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
          {isFailing ? healthWords.failingYet : healthWords.states[health]}
        </Badge>{' '}
        {[
          usedBy.map((use) => healthWords.uses[use]).join(', '),
          ...factsOf(destination),
          ...(checkedAt === null ? [] : [healthWords.checked(agoText(checkedAt))]),
        ].join(' · ')}
      </p>
    </div>
  );
}

function factsOf(destination: Schemas.Destination): readonly string[] {
  const { statusCode, error, redirects, tlsExpiresAt, responseTimeMs, failingSince } = destination;
  const last = redirects.at(-1);
  return [
    ...(error === null ? [] : [healthWords.errors[error] ?? error]),
    ...(statusCode === null ? [] : [healthWords.answered(statusCode, responseTimeMs)]),
    ...(last === undefined ? [] : [healthWords.leads(last.location)]),
    ...(failingSince === null ? [] : [healthWords.failing(agoText(failingSince))]),
    ...(tlsExpiresAt === null ? [] : [healthWords.tlsEnds(dateText(tlsExpiresAt))]),
  ];
}
