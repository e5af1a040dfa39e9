import { Card } from '../../components/layout';
import { Meter } from '../../components/meter';
import { CertificateCard } from '../../features/redirects/certificate-card';
import { DnsCard } from '../../features/redirects/dns-card';
import { HealthCard } from '../../features/redirects/health-card';
import { RedirectFrame } from '../../features/redirects/redirect-frame';
import { TestCard } from '../../features/redirects/test-card';
import { LiveVisits } from '../../features/statistics/live-visits';
import { texts } from '../../texts/texts';

const { detail } = texts.redirects;

export default function OverviewPage({ id }: { readonly id: string }) {
  return (
    <RedirectFrame id={id} part={detail.tabs.overview}>
      {(redirect) => (
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
              <LiveVisits id={id} />
            </Card>
            {redirect.isVerified && <DnsCard redirect={redirect} />}
            <CertificateCard redirect={redirect} />
            <HealthCard id={id} />
          </div>
        </div>
      )}
    </RedirectFrame>
  );
}
