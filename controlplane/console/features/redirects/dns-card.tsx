import type { Redirect, VerificationReport } from '@waymark/client';
import { Button } from '../../components/button';
import { CopyField } from '../../components/copy-field';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { timeText } from '../../components/times';
import { useVerification, useZoneProof } from '../../data/verification';
import { texts } from '../../texts/texts';

const { dns, zone } = texts.redirects;

/** The DNS record that proves the domain, and what DNS answers now. */
export function DnsCard({ redirect }: { readonly redirect: Redirect }) {
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

/** One record that proves all hosts of the zone. */
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
