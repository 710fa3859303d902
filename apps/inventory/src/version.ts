/** Version of the API, as in the header `API-Version` (docs/contract/inventory.md 1.1). */
export const apiVersion = '4.6';

/** The implemented release of the API; clients read it from `/api/status/` (docs/contract/inventory.md 1.12). */
export const productVersion = '4.6.8';
