import type { Redirect, Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Button } from '../../components/button';
import { CopyField } from '../../components/copy-field';
import { Card, Facts } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { dateText, timeText } from '../../components/times';
import { useCertificate, useCertificateRetry } from '../../data/verification';
import { texts } from '../../texts/texts';

const { certificate: words } = texts.redirects;

/** Color of each state of a certificate. */
export const CERTIFICATE_TONES: Readonly<Record<Schemas.Certificate['state'], Tone>> = {
  waiting_for_dns: 'warning',
  ordering: 'accent',
  issued: 'good',
  renewing: 'accent',
  failed: 'bad',
};

/** Shows the state of the certificate in words. */
export function CertificateCard({ redirect }: { readonly redirect: Redirect }) {
  const host = redirect.certificate?.host ?? redirect.fromDomain;
  const query = useCertificate(host, redirect.certificate !== null);
  const retry = useCertificateRetry(host);
  const certificate: Schemas.Certificate | null = query.data ?? redirect.certificate;
  if (certificate === null) {
    return (
      <Card title={words.title}>
        <p class="quiet">{words.none}</p>
      </Card>
    );
  }
  const { state, lastError, notAfter, issuer, nextAttemptAt } = certificate;
  const canRetry = state === 'failed' || state === 'waiting_for_dns';
  return (
    <Card title={words.title} actions={<Badge tone={CERTIFICATE_TONES[state]}>{words.states[state]}</Badge>}>
      <p>{words.explained[state]}</p>
      {state === 'waiting_for_dns' && query.data && (
        <div class="copy-list">
          {query.data.dns.required.map(({ type, name, value }) => (
            <CopyField key={`${type} ${name} ${value}`} label={type} value={value} />
          ))}
        </div>
      )}
      {lastError && <ErrorNote error={lastError.message} />}
      <Facts
        facts={[
          [words.validUntil, notAfter && dateText(notAfter)],
          [words.issuer, issuer],
          [state === 'issued' ? words.renewal : words.nextAttempt, nextAttemptAt && timeText(nextAttemptAt)],
        ]}
      />
      <ErrorNote error={retry.error} />
      {canRetry && (
        <Button isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {words.retry}
        </Button>
      )}
    </Card>
  );
}
