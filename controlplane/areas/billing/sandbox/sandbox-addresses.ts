/** Addresses of the sandbox's pages, on the API. Anyone who knows the id can use a page. */
export type SandboxAddresses = ReturnType<typeof sandboxAddresses>;

/** @param apiAddress public address of the API, without a slash at the end */
export function sandboxAddresses(apiAddress: () => string) {
  return {
    checkout: (id: string): string => `${apiAddress()}/sandbox/checkout/${id}`,
    portal: (id: string): string => `${apiAddress()}/sandbox/portal/${id}`,
    receipt: (id: string): string => `${apiAddress()}/sandbox/receipts/${id}`,
  };
}
