import type { Schemas } from '@waymark/client';
import { texts } from '../../texts/texts';

const { history: words } = texts;

/** Names the author of a change, with the access token and the address of the client. */
export function ChangedByText({
  by: { email, userId, tokenId, address },
}: {
  readonly by: Schemas.ChangedBy;
}) {
  const details = [tokenId && words.withToken(tokenId), address && words.from(address)].filter(Boolean);
  return (
    <span class="quiet">
      {email ?? userId ?? words.byService}
      {details.length > 0 && ` · ${details.join(' · ')}`}
    </span>
  );
}
