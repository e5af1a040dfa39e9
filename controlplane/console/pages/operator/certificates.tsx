import { useCertificatesToCheck } from '../../data/operator';
import { CertificateTable } from '../../features/operator/certificate-table';
import { OperatorFrame } from '../../features/operator/operator-frame';
import { SearchedList } from '../../features/operator/searched-list';
import { texts } from '../../texts/texts';

const { certificates: words, tabs } = texts.operator;

export default function CertificatesPage() {
  return (
    <OperatorFrame part={tabs.certificates}>
      <SearchedList words={words} useRows={useCertificatesToCheck}>
        {(certificates) => <CertificateTable certificates={certificates} />}
      </SearchedList>
    </OperatorFrame>
  );
}
