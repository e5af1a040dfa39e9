import { cachedByText } from './text-cache.js';

/** Secret wherever they occur in a word: `accesstoken`, `passwordhash`, `phpsessid`. */
const SECRET_PARTS = /token|passw|passphrase|passcode|pwd|credential|signature|apikey|sessionid|sessid|jwt/;
/** Secret at the end of a word: `clientsecret`, but not `secretary`. */
const SECRET_ENDS = /(?:secret|secrets|accesskey|privatekey|secretkey|authkey|authcode|oobcode)$/;
/** Secret as a whole word: `x-auth`, `connect.sid`, `session_id`, but not `author`. */
const SECRET_WORDS: ReadonlySet<string> = words(
  'auth authorization authentication bearer session sess sid sig hmac otp totp csrf xsrf assertion samlresponse',
);
/** Secret as the last word: `api_key`, `reset-pin`, but not `keyword` or `pass_type`. */
const SECRET_LAST_WORDS: ReadonlySet<string> = words('key pass pin verifier');
/** Secret as the whole name: an OAuth 2 code (RFC 6749, section 4.1.2), a CAS ticket, an Alipay signature. */
const SECRET_NAMES: ReadonlySet<string> = words('code ticket sign');
/** Words that make a following `code` a secret: `reset_code`, but not `country_code`. */
const SECRET_CODES: ReadonlySet<string> = words(
  'access activation auth authorization backup confirmation device fa login mfa oob otp recovery reset security sms user verification verify',
);
/** Campaign parameters are recorded, even with such a name. */
const CAMPAIGN = /^utm_/i;

const ESCAPE = /%([0-9a-f]{2})/gi;
/** Maximum number of times that nested escapes are decoded. */
const MAX_DECODINGS = 4;
const CAMEL_BOUNDARY = /([a-z0-9])(?=[A-Z])/g;
const NOT_A_WORD = /[^a-z]+/;
const MAX_CACHED_NAMES = 2_000;

/**
 * Creates the test whether a query parameter is named like a secret. Names are given as sent: percent-encoding, case,
 * separators (`x_token`, `x-token`, `user[token]`) and camel case (`accessToken`) make no difference. It never throws, takes
 * time linear in the name, and caches recent names.
 */
export function createSecretNames(): (name: string) => boolean {
  const verdictOf = cachedByText((name) => (isSecret(name) ? 'secret' : 'open'), MAX_CACHED_NAMES);
  return (name) => verdictOf(name) === 'secret';
}

function isSecret(sent: string): boolean {
  const name = decoded(sent);
  if (CAMPAIGN.test(name)) return false;
  const spaced = name.replace(CAMEL_BOUNDARY, '$1 ');
  // `PassWord` is a secret only as one word, `userAuth` only as two.
  return hasSecretWords(name) || (spaced !== name && hasSecretWords(spaced));
}

function hasSecretWords(name: string): boolean {
  const nameWords = name.toLowerCase().split(NOT_A_WORD).filter(Boolean);
  const last = nameWords.at(-1);
  if (last === undefined) return false;
  if (nameWords.some((word) => SECRET_PARTS.test(word) || SECRET_ENDS.test(word) || SECRET_WORDS.has(word))) {
    return true;
  }
  if (SECRET_LAST_WORDS.has(last)) return true;
  if (nameWords.length === 1) return SECRET_NAMES.has(last);
  return last === 'code' && SECRET_CODES.has(nameWords.at(-2) ?? '');
}

/** Decodes bytes one by one. Letters of secret names are ASCII, so other bytes need not come out right. */
function decoded(sent: string): string {
  let name = sent;
  for (let round = 0; round < MAX_DECODINGS && name.includes('%'); round += 1) {
    name = name.replace(ESCAPE, (_escape, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
  return name;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
