import { Card } from '../../components/layout';
import { Meter } from '../../components/meter';
import { CertificateCard } from '../../features/redirects/certificate-card';
import { DnsCard } from '../../features/redirects/dns-card';
import { HealthCard } from '../../features/redirects/health-card';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { TestCard } from '../../features/redirects/test-card';
import { LiveVisits } from '../../features/statistics/live-visits';
import { texts } from '../../texts/texts';

const { visits } = texts.redirects.detail;

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
            label={visits}
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
