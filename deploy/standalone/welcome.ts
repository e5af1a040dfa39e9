export interface WelcomeFacts {
  readonly apiAddress: string;
  readonly redirectAddress: string;
  /** Undefined without HTTPS. */
  readonly tlsAddress?: string | undefined;
  readonly adminAddress: string;
  readonly dataDir: string;
  /** The first user's token, when it was made just now. */
  readonly token: string | undefined;
  readonly hasConsole: boolean;
  /** One-time code that signs a browser in to the console. */
  readonly signInCode: string | undefined;
  /** Whether BOOTSTRAP_TOKEN brought one. */
  readonly tokenIsGiven: boolean;
  /** Reason why nothing can be changed, if so. */
  readonly refusal?: string | undefined;
}

/** Returns the message of a start: all addresses, and one command that works when pasted. */
export function welcome(facts: WelcomeFacts): string {
  const { apiAddress, redirectAddress, adminAddress, dataDir } = facts;
  if (facts.refusal !== undefined) return held(facts, facts.refusal);
  const { shown, pasted } = tokenTexts(facts);
  const redirect = '{"fromDomain":"demo.localhost","toDomain":"https://example.com","pathForwarding":true}';
  return `
Waymark is running.
${consoleLink(facts)}
  API              ${apiAddress}
  Documentation    ${apiAddress}/docs
  Redirects        ${redirectAddress}${https(facts)}
  Health, metrics  ${adminAddress}
  Data             ${dataDir}
  Access token     ${shown}

Try it:

  curl -X POST ${apiAddress}/add-redirect -H "Authorization: Bearer ${pasted}" -H 'Content-Type: application/json' -d '${redirect}'
  curl -i -H 'Host: demo.localhost' ${redirectAddress}/hello

Stop with Ctrl-C.
`;
}

/** Returns the message of a start that only serves visitors. */
function held(facts: WelcomeFacts, refusal: string): string {
  const { apiAddress, redirectAddress, adminAddress, dataDir } = facts;
  return `
Waymark serves the redirects that were saved last. Nothing can be changed.

  ${refusal}

  API              ${apiAddress} (/readyz says when this is over)
  Redirects        ${redirectAddress}${https(facts)}
  Health, metrics  ${adminAddress}
  Data             ${dataDir}

Stop with Ctrl-C.
`;
}

/** The code is in the fragment, which browsers do not send, so no proxy logs it. */
function consoleLink({ apiAddress, hasConsole, signInCode }: WelcomeFacts): string {
  if (!hasConsole) return '';
  if (signInCode === undefined) return `\n  Console          ${apiAddress}/`;
  return `\n  Console          ${apiAddress}/console/start#code=${signInCode}\n                   (this link signs you in once, within an hour)`;
}

function https({ tlsAddress }: WelcomeFacts): string {
  return tlsAddress === undefined ? '' : `\n  HTTPS            ${tlsAddress}`;
}

function tokenTexts({ token, tokenIsGiven }: WelcomeFacts): { shown: string; pasted: string } {
  if (token !== undefined) return { shown: token, pasted: token };
  if (tokenIsGiven) return { shown: 'the one in BOOTSTRAP_TOKEN', pasted: '$BOOTSTRAP_TOKEN' };
  return {
    shown: 'as printed by the first start (a lost one: start once with BOOTSTRAP_TOKEN=wm_…)',
    pasted: '$TOKEN',
  };
}
