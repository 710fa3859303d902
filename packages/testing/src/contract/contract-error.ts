/** Error for an HTTP request or response that violates the OpenAPI document. */
export class OpenApiContractError extends Error {
  /** @param call request and status, for example `GET /api/v1/users → 200` */
  constructor(call: string, problems: readonly string[]) {
    super(`${call} breaks the contract:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'OpenApiContractError';
  }
}
