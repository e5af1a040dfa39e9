import { AccountFrame } from '../../features/account/account-frame';
import { DeleteAccountCard } from '../../features/account/delete-account-card';
import { PasswordCard } from '../../features/account/password-card';
import { SessionsCard } from '../../features/account/sessions-card';
import { texts } from '../../texts/texts';

export default function SecurityPage() {
  return (
    <AccountFrame part={texts.account.tabs.security}>
      <div class="stack narrow">
        <PasswordCard />
        <SessionsCard />
        <DeleteAccountCard />
      </div>
    </AccountFrame>
  );
}
