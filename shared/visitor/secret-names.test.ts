import { describe, expect, it } from 'vitest';
import { createSecretNames } from './secret-names.js';

const isSecret = createSecretNames();

const SECRETS = `
  token access_token id_token refresh_token accessToken ACCESS-TOKEN x_token x-token X.Token token2 csrf_token authToken
  password passwd pwd passphrase passcode Password userPassword user[password] new_password passwort pass user_pass PassWord
  secret client_secret clientsecret clientSecret key api_key apikey apiKey X-Api-Key accesskey auth x-auth authorization
  session session_id sessionid PHPSESSID JSESSIONID sid connect.sid jwt sig signature X-Amz-Signature X-Amz-Credential hmac
  X-Amz-Security-Token otp totp pin code auth_code authcode authorization_code reset_code verificationCode oobCode ticket
  oauth_verifier code_verifier oauth_signature SAMLResponse client_assertion credentials userAuth sessionKey
  %74oken %74%6F%6b%65%6E tok%65n %2574oken %252574oken acc%65ss%5Ftoken user%5Bpassword%5D amp;token x;token x?token
`;
const OPEN = `
  keyword keywords author authority authuser monkey turkey secretary design sign_in signup passenger compass broken side
  inside country_code zip_code discount_code codec page id q query ref lang state gclid fbclid msclkid mc_eid
  utm_source utm_medium utm_campaign utm_term utm_content utm_id utm_key utm_token UTM_KEY utm%5Fkey
  keyboard key_words pinterest pin_id pass_type ticket_id sort page_size email user name % %zz %4 ü 100%
`;
const namesIn = (text: string) => text.trim().split(/\s+/);

describe('the names of secrets', () => {
  it.each(namesIn(SECRETS))('include %s', (name) => {
    expect(isSecret(name)).toBe(true);
    expect(isSecret(name), 'once more').toBe(true);
  });

  it.each([...namesIn(OPEN), ''])('do not include %j', (name) => {
    expect(isSecret(name)).toBe(false);
  });

  it('are found in names too long for the cache', () => {
    const long = 'x_'.repeat(1_000);
    expect(isSecret(`${long}token`)).toBe(true);
    expect(isSecret(`${long}keyword`)).toBe(false);
  });
});
