/** A line of the audit trail. */
export interface AuditLine {
  readonly action: string;
  readonly actor: { readonly realm?: string; readonly id: number | string; readonly kind: string } | null;
  readonly object: { readonly type: string; readonly id: number | string | null } | null;
  readonly [field: string]: unknown;
}

/** Returns the lines of a log that belong to the audit trail, in order. */
export function selectAuditLines(log: readonly string[]): AuditLine[] {
  return log
    .filter((line) => line.includes('"module":"audit"'))
    .map((line): AuditLine & { readonly module?: unknown } => JSON.parse(line))
    .filter(({ module }) => module === 'audit');
}
