/** Version of the reference API, as shown in the response header `API-Version` (docs/contract/inventory.md 1.1). */
export const compatibleApiVersion = '4.6';

/**
 * Release of the reference API that this service implements. Clients read it from `/api/status/`
 * (docs/contract/inventory.md 1.12).
 */
export const referenceApiRelease = '4.6.8';
