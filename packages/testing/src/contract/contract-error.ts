/** A request or response that violates the OpenAPI document. */
export class ContractError extends Error {
  /** @param call such as `GET /api/v1/users → 200` */
  constructor(call: string, problems: readonly string[]) {
    super(`${call} breaks the contract:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ContractError';
  }
}
