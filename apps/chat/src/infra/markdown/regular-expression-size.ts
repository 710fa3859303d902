/** Regular expression of the opening of a group within a regular expression: `(?:`, `(?i:`, `(?P<name>`, `(?<name>`. */
const regularExpressionGroupOpeningPattern = /^\((?:\?(?:P?<[A-Za-z_]\w*>|[a-zA-Z-]*:|[a-zA-Z-]*(?=\))))?/;
const regularExpressionRepetitionPattern = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/;
const regularExpressionEscapePattern = /^\\(?:Q[^]*?(?:\\E|$)|[pPN]\{[^}]*\}|x\{[^}]*\}|[pP].|[^])/;
/**
 * Regular expression of a character class within a regular expression. The class may contain `]` as the first
 * character.
 */
const characterClassPattern = /^\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?/;

/**
 * Returns an estimate of the number of instructions to which RE2 compiles a regular expression. The expression is not
 * compiled. RE2 expands counted repetitions, so that a short expression can become millions of instructions.
 */
export function estimateRegularExpressionSize(pattern: string): number {
  /**
   * Estimated sizes in instructions of the currently open groups of the regular expression. The first size belongs to
   * the whole expression.
   */
  const open = [0];
  let last = 0;
  const add = (size: number): void => {
    open[open.length - 1] = (open.at(-1) ?? 0) + size;
    last = size;
  };
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const [counted, least = '', most = ''] = regularExpressionRepetitionPattern.exec(rest) ?? [];
    const head = regularExpressionGroupOpeningPattern.exec(rest)?.[0];
    if (counted !== undefined) {
      // The repeated element has been counted once already.
      add(last * Math.max(0, Number(least) - 1, Number(most) - 1));
      at += counted.length;
    } else if (head !== undefined) {
      open.push(0);
      at += head.length;
    } else if (rest.startsWith(')')) {
      add(1 + (open.length > 1 ? (open.pop() ?? 0) : 0));
      at += 1;
    } else {
      const atom =
        (regularExpressionEscapePattern.exec(rest) ?? characterClassPattern.exec(rest))?.[0] ?? rest.charAt(0);
      add(Math.max(1, atom.startsWith('\\Q') ? atom.length : 1));
      at += atom.length;
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}
