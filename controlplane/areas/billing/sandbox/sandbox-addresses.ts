/** Addresses of the sandbox's pages, on the API. Anyone who knows the id can use a page. */
export interface SandboxAddresses {
  checkout(checkoutId: string): string;
  portal(portalId: string): string;
  receipt(providerTransactionId: string): string;
}

/** @param apiAddress public address of the API, without a slash at the end */
export function sandboxAddresses(apiAddress: () => string): SandboxAddresses {
  return {
    checkout: (id) => `${apiAddress()}/sandbox/checkout/${id}`,
    portal: (id) => `${apiAddress()}/sandbox/portal/${id}`,
    receipt: (id) => `${apiAddress()}/sandbox/receipts/${id}`,
  };
}
